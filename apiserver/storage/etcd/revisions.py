"""Watch responses -> whole revisions. Pure.

etcd promises that a response never splits a revision, and cuts a response that is too large for one message into
fragments. So the events of all fragments of a response are put together before they are divided by revision.
"""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import Any

from aetcd.rpc import kv_pb2

from apiserver.storage.etcd.keyspace import Keyspace
from apiserver.storage.interface import Changed, Revised
from steersman.api.names import Revision

_revision_of_event = attrgetter("kv.mod_revision")


class Assembly:
    """Takes the responses of one stream in order, gives the revisions that are complete.

    Revisions up to `reached` are left out: a member that lags behind may repeat what another has already given.
    """

    def __init__(self, keyspace: Keyspace, reached: Revision) -> None:
        self._keyspace = keyspace
        self._reached = reached
        self._events: list[Any] = []

    def add(self, response: Any) -> list[Revised]:
        self._events.extend(response.events)
        if response.fragment:
            return []
        if not self._events:
            return [] if response.created else self._progress(Revision(response.header.revision))
        events, self._events = self._events, []
        revised = [
            Revised(Revision(revision), tuple(self._changed(event) for event in group))
            for revision, group in groupby(events, key=_revision_of_event)
            if revision > self._reached
        ]
        if revised:
            self._reached = revised[-1].revision
        return revised

    def _progress(self, revision: Revision) -> list[Revised]:
        if revision < self._reached:
            return []
        self._reached = revision
        return [Revised(revision)]

    def _changed(self, event: Any) -> Changed:
        key = self._keyspace.key(event.kv.key)
        return Changed(key, None if event.type == kv_pb2.Event.DELETE else event.kv.value)
