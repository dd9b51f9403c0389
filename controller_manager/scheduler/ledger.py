"""What stands where: the nodes and pods that the informers show, and what we have decided and they do not show yet.

* A pod whose binding is under way is *assumed*: it takes its room at once, until the informer shows it bound, or the
  binding is refused.
* A pod for which others were made to go is *nominated*: room is kept for it on that node against all that are not more
  important, until it is bound or the nomination is taken back. It is written in the pod's status, so the next leader
  keeps it too.

So no room is given away twice: what an earlier term has bound was seen before this one began (see `tenure`), and what
this one binds is counted from the decision on.
"""

from __future__ import annotations

from typing import NamedTuple

from controller_manager import pods
from controller_manager.scheduler import snapshot
from controller_manager.scheduler.snapshot import Snapshot
from steersman.api.core import Node, Pod


class Place(NamedTuple):
    pod: Pod
    node: str


class Ledger:
    def __init__(self) -> None:
        self._snapshot = Snapshot()
        self._assumed: dict[str, Place] = {}
        self._nominated: dict[str, Place] = {}

    def take_node(self, old: Node | None, new: Node | None) -> None:
        """A node as the informer shows it, before and after."""
        if new is not None:
            self._snapshot = self._snapshot.with_node(new)
        elif old is not None:
            self._snapshot = self._snapshot.without_node(old.metadata.name)

    def take_pod(self, old: Pod | None, new: Pod | None) -> None:
        """A pod as the informer shows it, before and after: of one uid."""
        if new is not None and snapshot.takes_room(new):
            self._settle(new)
        elif new is not None and not pods.is_finished(new):
            if not self.is_assumed(new.metadata.uid):
                self._follow_nomination(old, new)
        elif old is not None:
            self.withdraw(old.metadata.uid)
            self.take_back(old.metadata.uid)
            self._snapshot = self._snapshot.without_pod(old.metadata.uid, old.spec.node_name)

    def _settle(self, pod: Pod) -> None:
        """It is bound, usually where it was assumed: then its room is taken already."""
        uid = pod.metadata.uid
        self.take_back(uid)
        place = self._assumed.get(uid)
        if place is not None and place.node != pod.spec.node_name:
            self.withdraw(uid)
        self._assumed.pop(uid, None)
        self._snapshot = self._snapshot.with_pod(pod)

    def _follow_nomination(self, old: Pod | None, new: Pod) -> None:
        """What the informer does not show yet is no reason to forget what we have nominated ourselves."""
        if new.status.nominated_node_name:
            self.nominate(new, new.status.nominated_node_name)
        elif old is not None and old.status.nominated_node_name:
            self.take_back(new.metadata.uid)

    # -- decided, and not seen yet

    def is_assumed(self, uid: str) -> bool:
        return uid in self._assumed

    def assume(self, pod: Pod, node: str) -> None:
        self.take_back(pod.metadata.uid)
        self._assumed[pod.metadata.uid] = Place(pod, node)
        self._snapshot = self._snapshot.with_pod(pod, node)

    def withdraw(self, uid: str) -> None:
        """No longer assumed: seen, or not to be."""
        place = self._assumed.pop(uid, None)
        if place is not None:
            self._snapshot = self._snapshot.without_pod(uid, place.node)

    def nominated(self, uid: str) -> str:
        """The node where room is kept for the pod; empty: nowhere."""
        place = self._nominated.get(uid)
        return "" if place is None else place.node

    def nominate(self, pod: Pod, node: str) -> None:
        self.take_back(pod.metadata.uid)
        self._nominated[pod.metadata.uid] = Place(pod, node)
        self._snapshot = self._snapshot.with_pod(pod, node)

    def take_back(self, uid: str) -> None:
        """No room is kept for it any more."""
        place = self._nominated.pop(uid, None)
        if place is not None:
            self._snapshot = self._snapshot.without_pod(uid, place.node)

    def outranked(self, node: str, priority: int) -> list[Pod]:
        """The pods nominated to `node` that are less important than that: they will have to look elsewhere."""
        return [place.pod for place in self._nominated.values() if place.node == node and _rank(place.pod) < priority]

    # -- what a pod sees

    def view_for(self, pod: Pod) -> Snapshot:
        """The cluster as far as `pod` must respect it: without room kept for itself or for the less important."""
        view = self._snapshot
        for uid, place in self._nominated.items():
            if uid == pod.metadata.uid or _rank(place.pod) < _rank(pod):
                view = view.without_pod(uid, place.node)
        return view


def _rank(pod: Pod) -> int:
    return pod.spec.priority or 0
