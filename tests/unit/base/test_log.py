from __future__ import annotations

import io
import json
import logging
import warnings
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

import pytest
import structlog

from steersman.base import log


@pytest.fixture(autouse=True)
def _logging_left_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    logging.captureWarnings(capture=False)
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_json_lines_begin_with_what_every_line_has() -> None:
    stream = io.StringIO()
    log.configure("info", "json", stream=stream)
    log.get("apiserver.main").bind(node="a").info("pod bound", pod="default/web")
    assert stream.getvalue().count("\n") == 1
    (line,) = lines(stream)
    assert list(line) == ["timestamp", "level", "logger", "event", "node", "pod"]
    assert line["timestamp"].endswith("Z")
    assert (line["level"], line["logger"], line["event"]) == ("info", "apiserver.main", "pod bound")


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("debug", ["d", "i", "w", "e"]),
        ("info", ["i", "w", "e"]),
        ("warning", ["w", "e"]),
        ("error", ["e"]),
    ],
)
def test_level_filters_ours_and_the_standard_librarys_alike(level: str, expected: list[str]) -> None:
    for logger in (lambda: log.get("ours"), lambda: logging.getLogger("theirs")):
        stream = io.StringIO()
        log.configure(level, "json", stream=stream)
        ours: Any = logger()
        ours.debug("d"), ours.info("i"), ours.warning("w"), ours.error("e")
        assert [line["event"] for line in lines(stream)] == expected


def test_the_standard_library_goes_the_same_way() -> None:
    stream = io.StringIO()
    log.configure("info", "json", stream=stream)
    logging.getLogger("grpc.aio").warning("lost %s", "peer")
    (line,) = lines(stream)
    assert list(line) == ["timestamp", "level", "logger", "event"]
    assert (line["level"], line["logger"], line["event"]) == ("warning", "grpc.aio", "lost peer")


def test_errors_are_one_line_of_json() -> None:
    stream = io.StringIO()
    log.configure("info", "json", stream=stream)
    for logger in (log.get("ours"), logging.getLogger("theirs")):
        try:
            raise OSError("disk full")
        except OSError:
            logger.exception("write failed")
    ours, theirs = lines(stream)
    assert ours["exception"].endswith("OSError: disk full")
    assert theirs["exception"].endswith("OSError: disk full")


@pytest.mark.parametrize(
    ("value", "rendered"),
    [
        pytest.param(PurePosixPath("/x"), "/x", id="anything has a text"),
        pytest.param({"a": 1}, {"a": 1}, id="structure stays"),
        pytest.param({object: 1}, {"<class 'object'>": 1}, id="odd keys"),
        pytest.param("\ud800", "\\ud800", id="a lone surrogate"),
        pytest.param(b"\x00", "AA==", id="bytes"),
    ],
)
def test_no_value_breaks_a_line(value: object, rendered: object) -> None:
    stream = io.StringIO()
    log.configure("info", "json", stream=stream)
    log.get("ours").info("said", value=value)
    (line,) = lines(stream)
    assert line["value"] == rendered


def test_console_is_for_humans() -> None:
    stream = io.StringIO()
    log.configure("info", "console", stream=stream)
    log.get("apiserver.main").info("pod bound", pod="default/web")
    logging.getLogger("grpc").warning("lost peer")
    ours, theirs = stream.getvalue().splitlines()
    assert "pod bound" in ours
    assert "[apiserver.main]" in ours
    assert "pod=default/web" in ours
    assert "lost peer" in theirs
    assert "[grpc]" in theirs
    assert "\x1b[" not in stream.getvalue()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "is_json"),
    [pytest.param(io.StringIO(), True, id="a pipe"), pytest.param(Terminal(), False, id="a terminal")],
)
def test_auto_looks_where_it_writes(stream: io.StringIO, is_json: bool) -> None:
    log.configure("info", "auto", stream=stream)
    log.get("ours").info("said")
    assert stream.getvalue().startswith("{") is is_json


def test_warnings_are_logged() -> None:
    stream = io.StringIO()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        log.configure("info", "json", stream=stream)
        warnings.warn("old habit", stacklevel=1)
    (line,) = lines(stream)
    assert line["logger"] == "py.warnings"
    assert "old habit" in line["event"]


@pytest.mark.parametrize(("level", "style"), [("loud", "json"), ("info", "xml")])
def test_unknown_words_are_refused(level: str, style: str) -> None:
    with pytest.raises(ValueError, match="is not a valid"):
        log.configure(level, style)


def test_a_logger_made_early_follows_every_configuration() -> None:
    early = log.get("early")
    for level in ("info", "error", "info"):
        stream = io.StringIO()
        log.configure(level, "json", stream=stream)
        early.info("said")
        assert len(lines(stream)) == (level == "info")


def test_what_is_bound_comes_with_every_line() -> None:
    stream = io.StringIO()
    log.configure("info", "json", stream=stream)
    bound = log.get("ours").bind(controller="replicaset")
    bound.info("one")
    bound.info("two", key="default/web")
    assert [(line["controller"], line.get("key")) for line in lines(stream)] == [
        ("replicaset", None),
        ("replicaset", "default/web"),
    ]
