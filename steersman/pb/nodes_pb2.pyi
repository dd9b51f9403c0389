from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Container(_message.Message):
    __slots__ = ("namespace", "pod", "uid", "container")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    POD_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    pod: str
    uid: str
    container: str
    def __init__(self, namespace: _Optional[str] = ..., pod: _Optional[str] = ..., uid: _Optional[str] = ..., container: _Optional[str] = ...) -> None: ...

class LogsRequest(_message.Message):
    __slots__ = ("container", "follow", "previous", "timestamps", "tail_lines", "limit_bytes", "since_time", "since_seconds")
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMPS_FIELD_NUMBER: _ClassVar[int]
    TAIL_LINES_FIELD_NUMBER: _ClassVar[int]
    LIMIT_BYTES_FIELD_NUMBER: _ClassVar[int]
    SINCE_TIME_FIELD_NUMBER: _ClassVar[int]
    SINCE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    container: Container
    follow: bool
    previous: bool
    timestamps: bool
    tail_lines: int
    limit_bytes: int
    since_time: str
    since_seconds: int
    def __init__(self, container: _Optional[_Union[Container, _Mapping]] = ..., follow: _Optional[bool] = ..., previous: _Optional[bool] = ..., timestamps: _Optional[bool] = ..., tail_lines: _Optional[int] = ..., limit_bytes: _Optional[int] = ..., since_time: _Optional[str] = ..., since_seconds: _Optional[int] = ...) -> None: ...

class Chunk(_message.Message):
    __slots__ = ("data",)
    DATA_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    def __init__(self, data: _Optional[bytes] = ...) -> None: ...

class SessionStart(_message.Message):
    __slots__ = ("container", "command", "stdin", "stdout", "stderr", "tty")
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    STDIN_FIELD_NUMBER: _ClassVar[int]
    STDOUT_FIELD_NUMBER: _ClassVar[int]
    STDERR_FIELD_NUMBER: _ClassVar[int]
    TTY_FIELD_NUMBER: _ClassVar[int]
    container: Container
    command: _containers.RepeatedScalarFieldContainer[str]
    stdin: bool
    stdout: bool
    stderr: bool
    tty: bool
    def __init__(self, container: _Optional[_Union[Container, _Mapping]] = ..., command: _Optional[_Iterable[str]] = ..., stdin: _Optional[bool] = ..., stdout: _Optional[bool] = ..., stderr: _Optional[bool] = ..., tty: _Optional[bool] = ...) -> None: ...

class TerminalSize(_message.Message):
    __slots__ = ("width", "height")
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    width: int
    height: int
    def __init__(self, width: _Optional[int] = ..., height: _Optional[int] = ...) -> None: ...

class SessionInput(_message.Message):
    __slots__ = ("start", "stdin", "close_stdin", "resize")
    START_FIELD_NUMBER: _ClassVar[int]
    STDIN_FIELD_NUMBER: _ClassVar[int]
    CLOSE_STDIN_FIELD_NUMBER: _ClassVar[int]
    RESIZE_FIELD_NUMBER: _ClassVar[int]
    start: SessionStart
    stdin: bytes
    close_stdin: bool
    resize: TerminalSize
    def __init__(self, start: _Optional[_Union[SessionStart, _Mapping]] = ..., stdin: _Optional[bytes] = ..., close_stdin: _Optional[bool] = ..., resize: _Optional[_Union[TerminalSize, _Mapping]] = ...) -> None: ...

class SessionOutput(_message.Message):
    __slots__ = ("stdout", "stderr", "exit_code", "error", "ended")
    STDOUT_FIELD_NUMBER: _ClassVar[int]
    STDERR_FIELD_NUMBER: _ClassVar[int]
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    stdout: bytes
    stderr: bytes
    exit_code: int
    error: str
    ended: bool
    def __init__(self, stdout: _Optional[bytes] = ..., stderr: _Optional[bytes] = ..., exit_code: _Optional[int] = ..., error: _Optional[str] = ..., ended: _Optional[bool] = ...) -> None: ...

class PortStart(_message.Message):
    __slots__ = ("container", "port")
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    PORT_FIELD_NUMBER: _ClassVar[int]
    container: Container
    port: int
    def __init__(self, container: _Optional[_Union[Container, _Mapping]] = ..., port: _Optional[int] = ...) -> None: ...

class PortInput(_message.Message):
    __slots__ = ("start", "data", "close")
    START_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    CLOSE_FIELD_NUMBER: _ClassVar[int]
    start: PortStart
    data: bytes
    close: bool
    def __init__(self, start: _Optional[_Union[PortStart, _Mapping]] = ..., data: _Optional[bytes] = ..., close: _Optional[bool] = ...) -> None: ...

class PortOutput(_message.Message):
    __slots__ = ("data", "error", "ended")
    DATA_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    error: str
    ended: bool
    def __init__(self, data: _Optional[bytes] = ..., error: _Optional[str] = ..., ended: _Optional[bool] = ...) -> None: ...

class StatsRequest(_message.Message):
    __slots__ = ("node",)
    NODE_FIELD_NUMBER: _ClassVar[int]
    node: str
    def __init__(self, node: _Optional[str] = ...) -> None: ...

class StatsReply(_message.Message):
    __slots__ = ("json",)
    JSON_FIELD_NUMBER: _ClassVar[int]
    json: bytes
    def __init__(self, json: _Optional[bytes] = ...) -> None: ...
