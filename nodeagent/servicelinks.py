"""Where Services are, as environment variables: the names that Docker links once had. Pure.

A pod gets those of its own namespace if it wants them, and always that of the API server.
"""

from __future__ import annotations

from collections.abc import Iterable

from steersman.api.core import Service, ServicePort

MASTER = ("default", "kubernetes")


def variables(services: Iterable[Service], namespace: str, *, wants_links: bool) -> dict[str, str]:
    """The variables for a pod of `namespace`. A Service without an address of its own has none."""
    found: dict[str, str] = {}
    for service in sorted(services, key=lambda each: each.metadata.namespace == namespace):
        meta = service.metadata
        is_master = (meta.namespace, meta.name) == MASTER
        if is_master or (wants_links and meta.namespace == namespace):
            found.update(_of(service))
    return found


def _of(service: Service) -> dict[str, str]:
    address = service.spec.cluster_ip
    if not address or address == "None" or not service.spec.ports:
        return {}
    name, first = _variable(service.metadata.name), service.spec.ports[0]
    host = f"[{address}]" if ":" in address else address
    found = {f"{name}_SERVICE_HOST": address, f"{name}_SERVICE_PORT": str(first.port)}
    for port in service.spec.ports:
        if port.name:
            found[f"{name}_SERVICE_PORT_{_variable(port.name)}"] = str(port.port)
    found[f"{name}_PORT"] = _url(first, host)
    for port in service.spec.ports:
        prefix = f"{name}_PORT_{port.port}_{_protocol(port).upper()}"
        found[prefix] = _url(port, host)
        found[f"{prefix}_PROTO"] = _protocol(port)
        found[f"{prefix}_PORT"] = str(port.port)
        found[f"{prefix}_ADDR"] = address
    return found


def _url(port: ServicePort, host: str) -> str:
    return f"{_protocol(port)}://{host}:{port.port}"


def _protocol(port: ServicePort) -> str:
    return (port.protocol or "TCP").lower()


def _variable(name: str) -> str:
    return name.upper().replace("-", "_")
