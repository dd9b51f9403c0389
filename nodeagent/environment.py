"""What a container is started with: its environment, its command and its arguments. Pure.

`needed` says which ConfigMaps and Secrets must be fetched, `variables` puts them together: `envFrom` first, then `env`
in order, each value expanded with what stands before it, and the variables of Services behind all that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from nodeagent import downward, envfiles, expansion, servicelinks
from nodeagent.downward import Place, UnknownField
from nodeagent.envfiles import BadEnvFile
from steersman.api.core import (
    ConfigMap,
    ConfigMapKeySelector,
    Container,
    EnvFromSource,
    EnvVarSource,
    FileKeySelector,
    Pod,
    Secret,
    SecretKeySelector,
    Service,
)


class ConfigProblem(Exception):
    """What the container is made from is missing; the text is for the user."""


@dataclass(frozen=True, slots=True)
class Needed:
    """Names of objects in the pod's namespace."""

    config_maps: frozenset[str]
    secrets: frozenset[str]


class FileRef(NamedTuple):
    """A file in one of the pod's volumes."""

    volume: str
    path: str


@dataclass(frozen=True, slots=True)
class Sources:
    """What `needed` named, as far as it exists, the Services of the cluster, and where the pod runs.

    `files` are those that `needed_files` named and that could be read.
    """

    config_maps: Mapping[str, ConfigMap] = field(default_factory=dict)
    secrets: Mapping[str, Secret] = field(default_factory=dict)
    services: Iterable[Service] = ()
    place: Place = field(default_factory=Place)
    files: Mapping[FileRef, str] = field(default_factory=dict)


def needed(container: Container) -> Needed:
    config_maps, secrets = set(), set()
    for source in container.env_from:
        if source.config_map_ref is not None:
            config_maps.add(source.config_map_ref.name)
        if source.secret_ref is not None:
            secrets.add(source.secret_ref.name)
    for variable in container.env:
        origin = variable.value_from
        if origin is not None and origin.config_map_key_ref is not None:
            config_maps.add(origin.config_map_key_ref.name)
        if origin is not None and origin.secret_key_ref is not None:
            secrets.add(origin.secret_key_ref.name)
    return Needed(frozenset(config_maps), frozenset(secrets))


def needed_files(container: Container) -> frozenset[FileRef]:
    origins = [each.value_from.file_key_ref for each in container.env if each.value_from is not None]
    return frozenset(FileRef(each.volume_name, each.path) for each in origins if each is not None)


def variables(pod: Pod, container: Container, sources: Sources) -> dict[str, str]:
    """Raises ConfigProblem."""
    wants_links = pod.spec.enable_service_links is not False
    links = servicelinks.variables(sources.services, pod.metadata.namespace, wants_links=wants_links)
    found: dict[str, str] = {}
    for group in container.env_from:
        found.update(_all_of(group, pod.metadata.namespace, sources))
    for variable in container.env:
        value: str | None
        if variable.value or variable.value_from is None:
            value = expansion.expand(variable.value, found, links)
        else:
            value = _value_from(variable.value_from, pod, container, sources)
        if value is not None:
            found[variable.name] = value
    return found | {name: value for name, value in links.items() if name not in found}


def command(container: Container, environment: Mapping[str, str]) -> tuple[str, ...]:
    return expansion.expand_all(container.command, environment)


def arguments(container: Container, environment: Mapping[str, str]) -> tuple[str, ...]:
    return expansion.expand_all(container.args, environment)


def _all_of(group: EnvFromSource, namespace: str, sources: Sources) -> dict[str, str]:
    found: dict[str, str] = {}
    if group.config_map_ref is not None:
        config_map = sources.config_maps.get(group.config_map_ref.name)
        if config_map is not None:
            found = dict(config_map.data)
        elif not group.config_map_ref.optional:
            raise ConfigProblem(f'configmap "{group.config_map_ref.name}" not found')
    elif group.secret_ref is not None:
        secret = sources.secrets.get(group.secret_ref.name)
        if secret is not None:
            found = {key: _text(key, value, secret) for key, value in secret.data.items()}
        elif not group.secret_ref.optional:
            raise ConfigProblem(f'secret "{group.secret_ref.name}" not found')
    return {group.prefix + key: value for key, value in found.items()}


def _value_from(origin: EnvVarSource, pod: Pod, container: Container, sources: Sources) -> str | None:
    """None: it is optional and not there."""
    try:
        if origin.field_ref is not None:
            return downward.field_value(pod, origin.field_ref, sources.place)
        if origin.resource_field_ref is not None:
            return downward.resource_value(pod, origin.resource_field_ref, container.name, sources.place)
    except UnknownField as error:
        raise ConfigProblem(str(error)) from error
    if origin.config_map_key_ref is not None:
        return _config_map_value(origin.config_map_key_ref, pod.metadata.namespace, sources)
    if origin.secret_key_ref is not None:
        return _secret_value(origin.secret_key_ref, pod.metadata.namespace, sources)
    if origin.file_key_ref is not None:
        return _file_value(origin.file_key_ref, sources)
    raise ConfigProblem("a variable says nothing of where its value comes from")


def _config_map_value(selector: ConfigMapKeySelector, namespace: str, sources: Sources) -> str | None:
    config_map = sources.config_maps.get(selector.name)
    if config_map is not None and selector.key in config_map.data:
        return config_map.data[selector.key]
    if selector.optional:
        return None
    if config_map is None:
        raise ConfigProblem(f'configmap "{selector.name}" not found')
    raise ConfigProblem(f"couldn't find key {selector.key} in ConfigMap {namespace}/{selector.name}")


def _secret_value(selector: SecretKeySelector, namespace: str, sources: Sources) -> str | None:
    secret = sources.secrets.get(selector.name)
    if secret is not None and selector.key in secret.data:
        return _text(selector.key, secret.data[selector.key], secret)
    if selector.optional:
        return None
    if secret is None:
        raise ConfigProblem(f'secret "{selector.name}" not found')
    raise ConfigProblem(f"couldn't find key {selector.key} in Secret {namespace}/{selector.name}")


def _file_value(selector: FileKeySelector, sources: Sources) -> str | None:
    """An empty value counts as none, as for the kubelet."""
    text = sources.files.get(FileRef(selector.volume_name, selector.path))
    try:
        if text is None:
            raise ConfigProblem("couldn't parse env file")
        value = envfiles.find(text, selector.key)
    except BadEnvFile as error:
        raise ConfigProblem(f"couldn't parse env file: {error}") from error
    if value:
        return value
    if selector.optional:
        return None
    raise ConfigProblem(f'environment variable key "{selector.key}" not found in file "{selector.path}"')


def _text(key: str, value: bytes, secret: Secret) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise ConfigProblem(f"the value of {key} in Secret {secret.metadata.name} is not text") from error
