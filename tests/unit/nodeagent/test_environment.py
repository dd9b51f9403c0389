"""Environment, commands and the downward API."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from nodeagent import downward, environment, expansion, servicelinks
from nodeagent.downward import Place
from nodeagent.environment import ConfigProblem, FileRef, Sources
from steersman.api.core import (
    ConfigMap,
    ConfigMapEnvSource,
    ConfigMapKeySelector,
    EnvFromSource,
    EnvVar,
    EnvVarSource,
    FileKeySelector,
    ObjectFieldSelector,
    ResourceFieldSelector,
    ResourceRequirements,
    Secret,
    SecretEnvSource,
    SecretKeySelector,
    Service,
    ServicePort,
    ServiceSpec,
)
from steersman.api.meta import ObjectMeta
from steersman.api.part import Quantity
from tests.unit.nodeagent.views import container, pod

PLACE = Place(("192.0.2.1", "2001:db8::1"), ("10.0.0.7",), {"cpu": "4", "memory": "8Gi"})


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("plain", "plain"),
        ("$(A)", "1"),
        ("x$(A)y$(B)z", "x1y2z"),
        ("$(UNKNOWN)", "$(UNKNOWN)"),
        ("$$(A)", "$(A)"),
        ("$$$(A)", "$1"),
        ("$$", "$"),
        ("$A", "$A"),
        ("$(A", "$(A"),
        ("$", "$"),
        ("$()", "$()"),
        ("$(A)$(", "1$("),
    ],
)
def test_expansion(text: str, expanded: str) -> None:
    assert expansion.expand(text, {"A": "1"}, {"A": "shadowed", "B": "2"}) == expanded


def _config_map(name: str, **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name), data=data)


def _secret(name: str, **data: bytes) -> Secret:
    return Secret(metadata=ObjectMeta(name=name), data=data)


SOURCES = Sources(
    config_maps={"settings": _config_map("settings", COLOR="blue", SIZE="9")},
    secrets={"login": _secret("login", password=b"hunter2", blob=b"\xff\xfe")},
    place=PLACE,
    files={FileRef("work", "out/env"): "TOKEN='abc'\n", FileRef("work", "bad"): "TOKEN=abc"},
)


def variables(*env: EnvVar, env_from: tuple[EnvFromSource, ...] = (), **fields: Any) -> dict[str, str]:
    wanted = container(env=env, env_from=env_from, **fields)
    return environment.variables(pod(wanted), wanted, SOURCES)


def of(**source: Any) -> EnvVar:
    return EnvVar(name="X", value_from=EnvVarSource(**source))


def test_values_see_what_stands_before_them() -> None:
    found = variables(EnvVar(name="B", value="$(A)"), EnvVar(name="A", value="1"), EnvVar(name="C", value="$(A)$(B)"))
    assert found == {"B": "$(A)", "A": "1", "C": "1$(A)"}


def test_env_from_with_a_prefix_and_env_on_top() -> None:
    groups = (
        EnvFromSource(prefix="P_", config_map_ref=ConfigMapEnvSource(name="settings")),
        EnvFromSource(config_map_ref=ConfigMapEnvSource(name="absent", optional=True)),
        EnvFromSource(secret_ref=SecretEnvSource(name="absent", optional=True)),
    )
    found = variables(EnvVar(name="P_SIZE", value="10"), EnvVar(name="HUE", value="$(P_COLOR)ish"), env_from=groups)
    assert found == {"P_COLOR": "blue", "P_SIZE": "10", "HUE": "blueish"}


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        (of(config_map_key_ref=ConfigMapKeySelector(name="settings", key="COLOR")), "blue"),
        (of(secret_key_ref=SecretKeySelector(name="login", key="password")), "hunter2"),
        (of(config_map_key_ref=ConfigMapKeySelector(name="settings", key="no", optional=True)), None),
        (of(secret_key_ref=SecretKeySelector(name="no", key="no", optional=True)), None),
        (of(field_ref=ObjectFieldSelector(field_path="metadata.name")), "web"),
        (of(field_ref=ObjectFieldSelector(field_path="spec.nodeName")), "node-1"),
        (of(field_ref=ObjectFieldSelector(field_path="status.hostIPs")), "192.0.2.1,2001:db8::1"),
        (of(field_ref=ObjectFieldSelector(field_path="status.podIP")), "10.0.0.7"),
        (of(file_key_ref=FileKeySelector(volume_name="work", path="out/env", key="TOKEN")), "abc"),
        (of(file_key_ref=FileKeySelector(volume_name="work", path="out/env", key="no", optional=True)), None),
        (EnvVar(name="X", value=""), ""),
    ],
    ids=lambda each: "" if not isinstance(each, EnvVar) else str(each.value_from)[:60],
)
def test_one_variable(variable: EnvVar, value: str | None) -> None:
    assert variables(variable).get("X") == value


@pytest.mark.parametrize(
    ("variable", "complaint"),
    [
        (of(config_map_key_ref=ConfigMapKeySelector(name="no", key="k")), 'configmap "no" not found'),
        (
            of(config_map_key_ref=ConfigMapKeySelector(name="settings", key="k")),
            "couldn't find key k in ConfigMap default/settings",
        ),
        (of(secret_key_ref=SecretKeySelector(name="no", key="k")), 'secret "no" not found'),
        (of(secret_key_ref=SecretKeySelector(name="login", key="k")), "couldn't find key k in Secret default/login"),
        (of(secret_key_ref=SecretKeySelector(name="login", key="blob")), "is not text"),
        (of(field_ref=ObjectFieldSelector(field_path="spec.nonsense")), "unsupported fieldPath"),
        (
            of(file_key_ref=FileKeySelector(volume_name="work", path="out/env", key="no")),
            'environment variable key "no" not found in file "out/env"',
        ),
        (of(file_key_ref=FileKeySelector(volume_name="work", path="no", key="k")), "couldn't parse env file"),
        (of(file_key_ref=FileKeySelector(volume_name="work", path="bad", key="k")), "couldn't parse env file: line 1"),
        (
            of(resource_field_ref=ResourceFieldSelector(container_name="no", resource="limits.cpu")),
            "container no not found",
        ),
    ],
    ids=[
        "no config map",
        "no key",
        "no secret",
        "no secret key",
        "not text",
        "no field",
        "no key in the file",
        "no file",
        "a file that is none",
        "no container",
    ],
)
def test_what_is_missing_is_named(variable: EnvVar, complaint: str) -> None:
    with pytest.raises(ConfigProblem, match=complaint):
        variables(variable)


def test_missing_groups_are_named() -> None:
    with pytest.raises(ConfigProblem, match='configmap "no" not found'):
        variables(env_from=(EnvFromSource(config_map_ref=ConfigMapEnvSource(name="no")),))
    with pytest.raises(ConfigProblem, match='secret "no" not found'):
        variables(env_from=(EnvFromSource(secret_ref=SecretEnvSource(name="no")),))


def test_what_must_be_fetched() -> None:
    wanted = container(
        env=(
            of(secret_key_ref=SecretKeySelector(name="s1", key="k")),
            of(config_map_key_ref=ConfigMapKeySelector(name="c1", key="k")),
        ),
        env_from=(
            EnvFromSource(config_map_ref=ConfigMapEnvSource(name="c2")),
            EnvFromSource(secret_ref=SecretEnvSource(name="s2")),
        ),
    )
    needed = environment.needed(wanted)
    assert needed == environment.Needed(frozenset({"c1", "c2"}), frozenset({"s1", "s2"}))


def test_commands_are_expanded() -> None:
    wanted = container(command=("sh", "-c"), args=("echo $(A) $(B)",))
    assert environment.command(wanted, {"A": "1"}) == ("sh", "-c")
    assert environment.arguments(wanted, {"A": "1"}) == ("echo 1 $(B)",)


@pytest.mark.parametrize(
    ("resource", "divisor", "value"),
    [
        ("limits.cpu", "0", "1"),
        ("limits.cpu", "1m", "250"),
        ("requests.cpu", "1m", "0"),
        ("limits.memory", "1Mi", "64"),
        ("limits.memory", "0", str(64 << 20)),
        ("requests.memory", "0", "0"),
    ],
)
def test_amounts(resource: str, divisor: str, value: str) -> None:
    limits = {"cpu": Quantity("250m"), "memory": Quantity("64Mi")}
    limited = container(resources=ResourceRequirements(limits=limits))
    selector = ResourceFieldSelector(resource=resource, divisor=Quantity(divisor))
    assert downward.resource_value(pod(limited), selector, "main", PLACE) == value


def test_a_limit_that_is_not_set_is_what_the_node_has() -> None:
    selector = ResourceFieldSelector(resource="limits.cpu")
    assert downward.resource_value(pod(), selector, "main", PLACE) == "4"


def test_labels_whole_and_by_key() -> None:
    labelled = pod()
    labelled = structs.replace(labelled, metadata=structs.replace(labelled.metadata, labels={"b": 'q"', "a/x": "1"}))
    whole = downward.field_value(labelled, ObjectFieldSelector(field_path="metadata.labels"), PLACE)
    assert whole == 'a/x="1"\nb="q\\""'
    single = ObjectFieldSelector(field_path="metadata.labels['a/x']")
    assert downward.field_value(labelled, single, PLACE) == "1"


def _service(name: str, namespace: str, ip: str = "10.96.0.10", *ports: ServicePort) -> Service:
    return Service(
        metadata=ObjectMeta(name=name, namespace=namespace),
        spec=ServiceSpec(cluster_ip=ip, ports=ports or (ServicePort(port=80, protocol="TCP"),)),
    )


def test_service_links() -> None:
    two = _service(
        "my-db", "default", "10.96.0.11", ServicePort(port=5432, name="sql"), ServicePort(port=53, protocol="UDP")
    )
    found = servicelinks.variables([two], "default", wants_links=True)
    assert found["MY_DB_SERVICE_HOST"] == "10.96.0.11"
    assert found["MY_DB_SERVICE_PORT"] == "5432"
    assert found["MY_DB_SERVICE_PORT_SQL"] == "5432"
    assert found["MY_DB_PORT"] == "tcp://10.96.0.11:5432"
    assert found["MY_DB_PORT_53_UDP"] == "udp://10.96.0.11:53"
    assert found["MY_DB_PORT_53_UDP_ADDR"] == "10.96.0.11"


def test_which_services_are_linked() -> None:
    services = [
        _service("kubernetes", "default"),
        _service("web", "shop"),
        _service("x", "other"),
        _service("no", "shop", "None"),
    ]
    assert {name.partition("_")[0] for name in servicelinks.variables(services, "shop", wants_links=True)} == {
        "KUBERNETES",
        "WEB",
    }
    assert {name.partition("_")[0] for name in servicelinks.variables(services, "shop", wants_links=False)} == {
        "KUBERNETES"
    }
