"""All tables of descriptions together."""

from __future__ import annotations

from collections.abc import Mapping

from steersman.api.part import Part

COMMON: Mapping[str, str] = {
    "apiVersion": "The group and version in which the object is written down.",
    "kind": "The type of the object.",
    "metadata": "Who the object is: its names, labels, owners, and what the server has noted about it.",
    "spec": "What is wanted.",
    "status": "What has been observed, written by the cluster itself.",
}
"""What is alike in every kind."""

BY_STRUCT: Mapping[type[Part], Mapping[str, str]] = {}
