"""Which pod and container is meant, what is asked of the REST front, and what its answers mean."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from steersman.api import codec
from steersman.api.apps import Deployment
from steersman.api.core import ConfigMap, Pod, Service
from steersman.api.errors import BadRequest, Internal
from steersman.api.meta import Object
from steersman.cli import channels, httpfront, logs, podchoice
from steersman.cli.channels import Ended
from steersman.cli.podchoice import NoSuchContainer


def pod(name: str = "p", *, annotations: dict[str, str] | None = None, **status: Any) -> Pod:
    spec = {
        "nodeName": status.pop("node", "n0"),
        "initContainers": [{"name": "before"}],
        "containers": [{"name": "main"}, {"name": "side"}],
        "ephemeralContainers": [{"name": "look"}],
    }
    document = {"metadata": {"name": name, "annotations": annotations or {}}, "spec": spec, "status": status}
    return codec.load(Pod, json.dumps(document).encode())


def test_the_first_container_is_meant_and_that_is_said() -> None:
    remark = 'Defaulted container "main" out of: main, side, look (ephem), before (init)'
    assert podchoice.container(pod(), "") == ("main", remark)
    assert podchoice.container(pod(), "before") == ("before", "")
    assert podchoice.container(pod(annotations={podchoice.DEFAULT_CONTAINER: "side"}), "") == ("side", "")
    assert podchoice.container_names(pod()) == ["before", "main", "side", "look"]
    with pytest.raises(NoSuchContainer, match="container no is not valid for pod p out of: main, side"):
        podchoice.container(pod(), "no")


def test_of_several_pods_the_liveliest_comes_first() -> None:
    def ready(since: str) -> list[dict[str, str]]:
        return [{"type": "Ready", "status": "True", "lastTransitionTime": since}]

    pods = [
        pod("pending", phase="Pending"),
        pod("unbound", phase="Pending", node=""),
        pod("new", phase="Running", conditions=ready("2026-01-02T00:00:00Z")),
        pod("old", phase="Running", conditions=ready("2026-01-01T00:00:00Z")),
        pod("failing", phase="Running"),
    ]
    ordered = [each.metadata.name for each in podchoice.liveliest(pods)]
    assert ordered == ["old", "new", "failing", "pending", "unbound"]


@pytest.mark.parametrize(
    ("struct", "spec", "selector"),
    [
        pytest.param(Deployment, {"selector": {"matchLabels": {"a": "1"}}}, "a=1", id="deployment"),
        pytest.param(Service, {"selector": {"a": "1", "b": "2"}}, "a=1,b=2", id="service"),
        pytest.param(Service, {}, None, id="service-without-pods"),
        pytest.param(ConfigMap, {}, None, id="no-pods-at-all"),
    ],
)
def test_whose_pods(struct: type[Object], spec: dict[str, Any], selector: str | None) -> None:
    document = {"metadata": {"name": "x"}} | ({"spec": spec} if spec else {})
    assert podchoice.selector_of(codec.load(struct, json.dumps(document).encode())) == selector


def test_a_query_has_what_was_given() -> None:
    assert httpfront.query_of(container="c", command=("ls", "-l"), stdin=False, tty=True, tailLines=0, since=None) == [
        ("container", "c"),
        ("command", "ls"),
        ("command", "-l"),
        ("tty", "true"),
        ("tailLines", "0"),
    ]


def test_a_refusal_is_the_error_that_its_status_names() -> None:
    status = {"kind": "Status", "status": "Failure", "reason": "BadRequest", "message": "no", "details": {"name": "p"}}
    error = httpfront.refusal(json.dumps(status).encode(), 400)
    assert isinstance(error, BadRequest)
    assert error.message == "no"
    assert isinstance(httpfront.refusal(b"<html>", 502), Internal)


@pytest.mark.parametrize(
    ("status", "end"),
    [
        pytest.param({"status": "Success"}, Ended(0), id="success"),
        pytest.param(
            {
                "status": "Failure",
                "reason": "NonZeroExitCode",
                "message": "m",
                "details": {"causes": [{"reason": "ExitCode", "message": "3"}]},
            },
            Ended(3, "m"),
            id="exit-code",
        ),
        pytest.param({"status": "Failure", "reason": "InternalError", "message": "m"}, Ended(None, "m"), id="failure"),
    ],
)
def test_how_a_command_ended(status: dict[str, Any], end: Ended) -> None:
    assert channels.ended(json.dumps(status).encode()) == end


async def _chunks(*given: bytes) -> AsyncIterator[bytes]:
    for each in given:
        yield each


async def test_logs_are_cut_behind_line_ends() -> None:
    found = [block async for block in logs.whole_lines(_chunks(b"on", b"e\ntw", b"o\nthree\nfo", b"ur"))]
    assert found == [b"one\n", b"two\nthree\n", b"four"]


async def test_what_never_ends_its_line_is_passed_on_in_pieces() -> None:
    endless = b"x" * (logs.LONGEST_LINE_BYTES + 1)
    assert [len(block) async for block in logs.whole_lines(_chunks(endless, b"y"))] == [len(endless), 1]


@pytest.mark.parametrize(
    ("block", "text"),
    [
        pytest.param(b"a\nb\n", b"[p] a\n[p] b\n", id="whole-lines"),
        pytest.param(b"a\rb", b"[p] a\rb", id="no-line-end"),
    ],
)
def test_prefixes(block: bytes, text: bytes) -> None:
    assert logs.prefixed(block, b"[p] ") == text
