"""What a Service leads to: which pods stand behind it, at which addresses and ports. Pure.

A pod stands behind a Service whose selector it matches, from the moment it has an address until it has finished. The
two indexes find pods and Services by one label each, so that neither costs a walk through the namespace.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from functools import lru_cache

from controller_manager import pods
from steersman.api.core import Container, ObjectReference, Pod, Service, ServicePort
from steersman.client.cache import Cache, ObjectKey

BY_LABEL = "label"
"""Pods by each of their labels; see `label_index`."""
BY_SELECTOR = "selector"
"""Services by one pair of their selector; see `selector_index`."""

HEADLESS = "service.kubernetes.io/headless"

IPV4, IPV6 = "IPv4", "IPv6"
_NO_ADDRESS = "None"


# --- Finding each other


def label_index(pod: Pod) -> list[str]:
    return [_pair(pod.metadata.namespace, *label) for label in pod.metadata.labels.items()]


def selector_index(service: Service) -> tuple[str, ...]:
    """One pair is enough: whoever matches the selector has that label too."""
    return (_pair(service.metadata.namespace, *min(service.spec.selector.items())),) if has_backends(service) else ()


def _pair(namespace: str, key: str, value: str) -> str:
    return f"{namespace}/{key}={value}"


def selected_by(service: Service, cache: Cache[Pod]) -> list[Pod]:
    """The pods that match the selector, in the order of their names, so that equal states give equal results."""
    namespace, wanted = service.metadata.namespace, service.spec.selector.items()
    if not wanted:
        return []
    fewest = min((cache.by_index(BY_LABEL, _pair(namespace, *pair)) for pair in wanted), key=len)
    return sorted((pod for pod in fewest if wanted <= pod.metadata.labels.items()), key=_name)


def _name(pod: Pod) -> str:
    return pod.metadata.name


def leading_to(pod: Pod, cache: Cache[Service]) -> list[ObjectKey]:
    """The keys of the Services whose selector the pod matches."""
    labels = pod.metadata.labels.items()
    return [
        ObjectKey(service.metadata.namespace, service.metadata.name)
        for pair in label_index(pod)
        for service in cache.by_index(BY_SELECTOR, pair)
        if service.spec.selector.items() <= labels
    ]


def has_backends(service: Service) -> bool:
    """Whether we look for pods: without a selector whoever made the Service says where it leads."""
    return bool(service.spec.selector) and service.spec.type != "ExternalName"


# --- A pod as a backend


def is_backend(pod: Pod) -> bool:
    return not pods.is_finished(pod) and bool(pod.status.pod_ip or pod.status.pod_ips)


def addresses(pod: Pod, family: str) -> tuple[str, ...]:
    given = [each.ip for each in pod.status.pod_ips] or [pod.status.pod_ip]
    return tuple(canonical(text) for text in given if family_of(text) == family)


def hostname(pod: Pod, service: Service) -> str:
    """The name under which the Service's domain has the pod; empty if it asks for none."""
    return pod.spec.hostname if pod.spec.subdomain == service.metadata.name else ""


def reference_to(pod: Pod) -> ObjectReference:
    """Without a resourceVersion: what changes in the pod is no reason to write its endpoint again."""
    meta = pod.metadata
    return ObjectReference(kind="Pod", namespace=meta.namespace, name=meta.name, uid=meta.uid)


def resolved_port(pod: Pod, port: ServicePort) -> int | None:
    """The number of the target port in this pod. None: the pod has no port of that name."""
    if isinstance(port.target_port, int):
        return port.target_port
    return next(
        (
            each.container_port
            for container in _long_lived(pod)
            for each in container.ports
            if each.name == port.target_port and each.protocol == port.protocol
        ),
        None,
    )


def _long_lived(pod: Pod) -> Iterator[Container]:
    yield from pod.spec.containers
    yield from (container for container in pod.spec.init_containers if container.restart_policy == "Always")


# --- The Service itself


def is_headless(service: Service) -> bool:
    """Whether it has no address of its own, also for the reason that it will never get one."""
    return service.spec.cluster_ip in ("", _NO_ADDRESS)


def needs_no_ports(service: Service) -> bool:
    return not service.spec.ports and service.spec.cluster_ip == _NO_ADDRESS


def families(service: Service) -> tuple[str, ...]:
    """The address families of the Service, the first one first."""
    if service.spec.ip_families:
        return service.spec.ip_families
    if is_headless(service):
        return (IPV4, IPV6)
    return (family_of(service.spec.cluster_ip),)


@lru_cache(maxsize=4096)
def family_of(address: str) -> str:
    """Empty for what is no address."""
    parsed = _parsed(address)
    return "" if parsed is None else f"IPv{parsed.version}"


@lru_cache(maxsize=4096)
def canonical(address: str) -> str:
    parsed = _parsed(address)
    return address if parsed is None else str(parsed)


def address_order(address: str) -> tuple[int, int]:
    """Sorts addresses as numbers."""
    parsed = _parsed(address)
    return (0, 0) if parsed is None else (parsed.version, int(parsed))


@lru_cache(maxsize=4096)
def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return None
    return parsed.ipv4_mapped or parsed if isinstance(parsed, ipaddress.IPv6Address) else parsed
