"""All tables of descriptions together."""

from __future__ import annotations

from collections.abc import Mapping

from steersman.api.descriptions import cluster, containers, disks, extensions, meta, networks, pods, volumes, workloads
from steersman.api.part import Part

COMMON: Mapping[str, str] = {
    "apiVersion": meta.API_VERSION,
    "kind": meta.KIND,
    "metadata": "Who the object is: its names, labels, owners, and what the server has noted about it.",
    "spec": "What is wanted.",
    "status": "What has been observed, written by the cluster itself.",
}
"""What is alike in every kind."""

BY_STRUCT: Mapping[type[Part], Mapping[str, str]] = {
    **meta.DESCRIPTIONS,
    **containers.DESCRIPTIONS,
    **pods.DESCRIPTIONS,
    **volumes.DESCRIPTIONS,
    **disks.DESCRIPTIONS,
    **workloads.DESCRIPTIONS,
    **networks.DESCRIPTIONS,
    **cluster.DESCRIPTIONS,
    **extensions.DESCRIPTIONS,
}
