"""Structured logs: one line for a human on a terminal, one JSON object per line otherwise.

    log = log.get(__name__)
    log.info("pod bound", pod=key, node=name)

`configure` is called once, first thing in a process. Standard-library logging (grpc, aiohttp, asyncio) and warnings
pass through the same pipeline. A line below the level costs an empty call; a line inside a span carries its trace id.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from typing import Any, TextIO, cast
from weakref import WeakSet

import msgspec

from steersman.base import tracing


@contextmanager
def _hidden(module: str) -> Iterator[None]:
    """Let an `import` inside find `module` missing, unless somebody has it already."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[module]


# structlog takes rich along wherever it is installed, 50 ms of every start, for tracebacks that we do not want.
with _hidden("rich"):
    import structlog
    from structlog.typing import EventDict, FilteringBoundLogger, Processor, WrappedLogger

Logger = FilteringBoundLogger


class Level(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Style(StrEnum):
    AUTO = "auto"
    CONSOLE = "console"
    JSON = "json"


class _NamedWriter(structlog.WriteLogger):
    def __init__(self, output: TextIO, name: str) -> None:
        super().__init__(output)
        self.name = name

    def msg(self, message: str) -> None:
        """Whoever read our log may have gone, or its disk may be full: that must not keep us from our work."""
        with suppress(OSError, ValueError):
            super().msg(message)

    log = debug = info = warn = warning = fatal = failure = err = error = critical = exception = msg


class _NamedLogger:
    """Looks its methods up when first used, under the configuration of that time, and keeps them until the next.

    structlog's own lazy logger does so on every call, which costs 1 µs even for a line that is filtered out.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, method: str) -> Any:
        found = getattr(structlog.get_logger(self._name).bind(), method)
        if structlog.is_configured():
            self.__dict__[method] = found
        return found

    def forget(self) -> None:
        self.__dict__ = {"_name": self._name}


_loggers: WeakSet[_NamedLogger] = WeakSet()


def get(name: str) -> Logger:
    """A logger that adds `logger=name` to its lines. May be made at import time, before `configure`."""
    logger = _NamedLogger(name)
    _loggers.add(logger)
    return cast(Logger, logger)


def configure(level: str = Level.INFO, style: str = Style.AUTO, *, stream: TextIO | None = None) -> None:
    """Send every line at or above `level` to `stream` (standard error). AUTO is CONSOLE on a terminal, else JSON."""
    output = stream if stream is not None else sys.stderr
    threshold = logging.getLevelNamesMapping()[Level(level).upper()]
    human = Style(style) is Style.CONSOLE or (Style(style) is Style.AUTO and output.isatty())
    shared = _describing(human=human)
    renderer = _console(colors=output.isatty()) if human else render_json
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, *shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=lambda name="": _NamedWriter(output, name),
    )
    for logger in tuple(_loggers):
        logger.forget()
    _adopt_standard_library(threshold, output, shared, renderer)


def _describing(*, human: bool) -> list[Processor]:
    """What is added to every line, before it is rendered."""
    common: list[Processor] = [structlog.stdlib.add_logger_name, structlog.processors.add_log_level, add_trace]
    if human:
        return [*common, structlog.processors.TimeStamper("%H:%M:%S.%f", utc=False)]
    return [
        *common,
        structlog.processors.TimeStamper("iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
    ]


def _console(*, colors: bool) -> Processor:
    return structlog.dev.ConsoleRenderer(
        colors=colors, pad_event_to=40, exception_formatter=structlog.dev.plain_traceback
    )


def add_trace(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    context = tracing.current()
    if context is not None:
        event["trace_id"] = f"{context.trace_id:032x}"
        event["span_id"] = f"{context.span_id:016x}"
    return event


_ENCODER = msgspec.json.Encoder(enc_hook=str, order=None)
_LEADING = ("timestamp", "level", "logger", "event")


def render_json(_: WrappedLogger, __: str, event: EventDict) -> str:
    """The line as JSON, the four keys that every line has first. What JSON cannot hold is told as text."""
    ordered = {key: event.pop(key) for key in _LEADING if key in event}
    ordered.update(event)
    try:
        return _ENCODER.encode(ordered).decode()
    except (TypeError, ValueError, RecursionError):  # odd dictionary keys, lone surrogates, a loop
        return _ENCODER.encode({_ascii(key): _ascii(value) for key, value in ordered.items()}).decode()


def _ascii(value: object) -> str:
    return str(value).encode("ascii", "backslashreplace").decode()


def _adopt_standard_library(threshold: int, output: TextIO, shared: list[Processor], renderer: Processor) -> None:
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
    )
    handler = logging.StreamHandler(output)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(threshold)
    logging.captureWarnings(capture=True)
