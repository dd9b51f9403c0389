"""The parameters of requests: what each is called, where it stands, and what it does. Pure data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    description: str
    type: str = "string"
    place: str = "query"

    @property
    def is_required(self) -> bool:
        return self.place == "path"


NAMESPACE = Parameter("namespace", "The namespace of the object.", place="path")
PATH = Parameter("path", "What follows behind the proxy.", place="path")
PRETTY = Parameter("pretty", "Write the answer over several lines.")


def name_of(kind: str) -> Parameter:
    return Parameter("name", f"The name of the {kind}.", place="path")


_BOOKMARKS = Parameter("allowWatchBookmarks", "Send bookmarks in a watch, which only tell how far it is.", "boolean")
_CONTINUE = Parameter("continue", "Where the last page of this list ended.")
_DRY_RUN = Parameter("dryRun", "All: do everything but keep the result.")
_FIELDS = Parameter("fieldSelector", "Only objects whose fields have these values.")
_MANAGER = Parameter("fieldManager", "Who makes this change, in up to 128 printable characters.")
_VALIDATION = Parameter("fieldValidation", "What becomes of unknown and repeated fields: Ignore, Warn or Strict.")
_FORCE = Parameter("force", "Take over fields that others manage; for apply only.", "boolean")
_GRACE = Parameter("gracePeriodSeconds", "How long the object may take to end; 0 is at once.", "integer")
_UNREADABLE = Parameter(
    "ignoreStoreReadErrorWithClusterBreakingPotential", "Delete the object even if it cannot be read.", "boolean"
)
_LABELS = Parameter("labelSelector", "Only objects whose labels fit.")
_LIMIT = Parameter("limit", "The most objects in one answer; the rest comes page by page.", "integer")
_ORPHAN = Parameter("orphanDependents", "The older way to ask for propagationPolicy=Orphan.", "boolean")
_PROPAGATION = Parameter("propagationPolicy", "What becomes of dependents: Orphan, Background or Foreground.")
_REVISION = Parameter("resourceVersion", "The revision that the answer is to show, or the watch to begin after.")
_MATCH = Parameter("resourceVersionMatch", "How resourceVersion is meant: Exact or NotOlderThan.")
_INITIAL = Parameter("sendInitialEvents", "Begin a watch with the objects that exist, then a bookmark.", "boolean")
_TIMEOUT = Parameter("timeoutSeconds", "When a list or a watch is to end.", "integer")
_WATCH = Parameter("watch", "Go on telling what changes, instead of answering once.", "boolean")

SELECTING = (_CONTINUE, _FIELDS, _LABELS, _LIMIT, _REVISION, _MATCH, _INITIAL, _TIMEOUT)
DELETING = (_DRY_RUN, _GRACE, _UNREADABLE, _ORPHAN, _PROPAGATION)

BY_ACTION: Mapping[str, tuple[Parameter, ...]] = {
    "list": tuple(sorted((_BOOKMARKS, _WATCH, *SELECTING), key=lambda each: each.name)),
    "post": (_DRY_RUN, _MANAGER, _VALIDATION),
    "put": (_DRY_RUN, _MANAGER, _VALIDATION),
    "patch": (_DRY_RUN, _MANAGER, _VALIDATION, _FORCE),
    "delete": DELETING,
    "deletecollection": tuple(sorted((*SELECTING, *DELETING), key=lambda each: each.name)),
}

_CONTAINER = Parameter("container", "Which container; may be left out when there is only one.")
_STREAMS = (
    Parameter("stderr", "Whether errors are wanted.", "boolean"),
    Parameter("stdin", "Whether input will be sent.", "boolean"),
    Parameter("stdout", "Whether output is wanted.", "boolean"),
    Parameter("tty", "Whether the process is to have a terminal.", "boolean"),
)

BY_SUBRESOURCE: Mapping[str, tuple[Parameter, ...]] = {
    "attach": (_CONTAINER, *_STREAMS),
    "exec": (Parameter("command", "What to run, one parameter for each word."), _CONTAINER, *_STREAMS),
    "log": (
        _CONTAINER,
        Parameter("follow", "Go on as more is written.", "boolean"),
        Parameter("insecureSkipTLSVerifyBackend", "Do not check who the node is.", "boolean"),
        Parameter("limitBytes", "The most bytes to send.", "integer"),
        Parameter("previous", "Of the container before its last restart.", "boolean"),
        Parameter("sinceSeconds", "Only what is at most that old.", "integer"),
        Parameter("stream", "All, Stdout or Stderr."),
        Parameter("tailLines", "Only so many lines from the end.", "integer"),
        Parameter("timestamps", "Begin each line with its time.", "boolean"),
    ),
    "portforward": (Parameter("ports", "The ports to forward to.", "integer"),),
    "proxy": (Parameter("path", "The path to ask the other side for."),),
}
"""What a stream is opened with."""
