"""Bookmarks: an object with nothing in it but how far the watch has come."""

from __future__ import annotations

import msgspec

from apiserver.watchcache.items import Event
from steersman.api.kinds import Kind

INITIAL_EVENTS_END = "k8s.io/initial-events-end"


def encode(event: Event, kind: Kind) -> bytes:
    metadata: dict[str, object] = {"resourceVersion": str(event.revision), "creationTimestamp": None}
    if event.ends_initial_events:
        metadata["annotations"] = {INITIAL_EVENTS_END: "true"}
    return msgspec.json.encode({"metadata": metadata, "apiVersion": kind.api_version, "kind": kind.kind})
