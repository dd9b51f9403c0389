"""What may be asked of logs, commands and ports, and how mistakes are answered."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.restfront import query
from apiserver.restfront.streams import commandoptions, commands, logoptions, portforward
from apiserver.restfront.streams.commandoptions import CommandOptions
from steersman.api.errors import ApiError, BadRequest, Invalid


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        pytest.param("", {}, id="nothing"),
        pytest.param("follow=true&previous=1", {"follow": True, "previous": True}, id="flags"),
        pytest.param("tailLines=0&limitBytes=1", {"tail_lines": 0, "limit_bytes": 1}, id="bounds"),
        pytest.param("sinceSeconds=5&timestamps=true", {"since_seconds": 5, "timestamps": True}, id="since seconds"),
        pytest.param(
            "sinceTime=2026-01-02T03:04:05%2B01:00", {"since_time": "2026-01-02T02:04:05Z"}, id="since a time"
        ),
    ],
)
def test_what_is_asked_of_a_log(text: str, fields: dict[str, Any]) -> None:
    asked = logoptions.parse(query.parse(text), "web")
    assert {field.name: value for field, value in asked.ListFields()} == fields


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        pytest.param(
            "tailLines=-1",
            Invalid,
            'PodLogOptions "web" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
            id="a negative tail",
        ),
        pytest.param(
            "limitBytes=0&sinceSeconds=0",
            Invalid,
            'PodLogOptions "web" is invalid: [limitBytes: Invalid value: 0: must be greater than 0, '
            "sinceSeconds: Invalid value: 0: must be greater than 0]",
            id="several",
        ),
        pytest.param(
            "sinceSeconds=1&sinceTime=2026-01-02T03:04:05Z",
            Invalid,
            'PodLogOptions "web" is invalid: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
            id="two beginnings",
        ),
        pytest.param(
            "stream=Stdout",
            Invalid,
            'PodLogOptions "web" is invalid: stream: Forbidden: may not be specified',
            id="one of the streams",
        ),
        pytest.param("tailLines=x", BadRequest, 'strconv.ParseInt: parsing "x": invalid syntax', id="no number"),
    ],
)
def test_mistakes_in_a_question_for_a_log(text: str, kind: type[ApiError], message: str) -> None:
    with pytest.raises(kind) as caught:
        logoptions.parse(query.parse(text), "web")
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("text", "stdin", "stdout", "stderr", "tty"),
    [
        pytest.param("", False, True, True, False, id="nothing named: the output"),
        pytest.param("stdin=true&stdout=true", True, True, False, False, id="as named"),
        pytest.param("stdout=true&stderr=true&tty=true", False, True, False, True, id="a terminal has one output"),
    ],
)
def test_the_streams_of_a_command(text: str, stdin: bool, stdout: bool, stderr: bool, tty: bool) -> None:
    asked = commandoptions.parse(query.parse(f"command=ls&command=-l&container=c&{text}"))
    assert asked == CommandOptions("c", ("ls", "-l"), stdin, stdout, stderr, tty)


def test_a_command_without_streams_is_refused() -> None:
    with pytest.raises(BadRequest, match="at least 1 of stdin, stdout, stderr"):
        commandoptions.parse(query.parse("stdout=false"))


@pytest.mark.parametrize(
    ("tty", "protocol", "names"),
    [
        pytest.param(False, commands.V4, {"error", "stdin", "stdout", "stderr"}, id="without a terminal"),
        pytest.param(True, commands.V4, {"error", "stdin", "stdout", "stderr", "resize"}, id="with a terminal"),
        pytest.param(True, commands.V1, {"error", "stdin", "stdout", "stderr"}, id="before there was a size"),
    ],
)
def test_the_streams_that_a_client_opens_over_spdy(tty: bool, protocol: str, names: set[str]) -> None:
    options = CommandOptions("c", (), stdin=True, stdout=True, stderr=True, tty=tty)
    assert commands.announced_names(options, protocol) == names


def test_ports_are_named_one_by_one_or_together() -> None:
    assert portforward.ports_of(query.parse("ports=80&ports=8080,9090")) == [80, 8080, 9090]


@pytest.mark.parametrize("text", ["", "ports=0", "ports=65536", "ports=http", "ports=" + ",".join(["80"] * 101)])
def test_ports_that_are_none(text: str) -> None:
    with pytest.raises(BadRequest):
        portforward.ports_of(query.parse(text))
