"""Object key <-> store key.

/registry/<resource>[.<group>]/<namespace>/<name>      namespaced kinds
/registry/<resource>[.<group>]/<name>                  cluster-wide kinds
/steersman/claims/<pool>/<member>                      what one object occupies and no other may
/steersman/…                                           claims, fences and markers: no watcher sees them
"""

from __future__ import annotations

REGISTRY = "/registry/"
PRIVATE = "/steersman/"
CLAIMS = f"{PRIVATE}claims/"


def collection(qualified_resource: str, namespace: str = "") -> str:
    """The prefix under which a kind's objects (of one namespace, if given) stand."""
    return f"{REGISTRY}{qualified_resource}/{namespace}/" if namespace else f"{REGISTRY}{qualified_resource}/"


def key_of(qualified_resource: str, namespace: str, name: str) -> str:
    return collection(qualified_resource, namespace) + name


def resource_of(key: str) -> str:
    """The qualified resource that a registry key belongs to."""
    return key[len(REGISTRY) :].partition("/")[0]


def fence_of(namespace: str, lease: str) -> str:
    return f"{PRIVATE}fences/{namespace}/{lease}"


def claims_of(pool: str) -> str:
    """The prefix under which the members of a pool that are in use stand."""
    return f"{CLAIMS}{pool}/"
