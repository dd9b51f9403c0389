from steersman.pb import objects_pb2 as _objects_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class HoldRequest(_message.Message):
    __slots__ = ("term", "goodbye")
    TERM_FIELD_NUMBER: _ClassVar[int]
    GOODBYE_FIELD_NUMBER: _ClassVar[int]
    term: _objects_pb2.Term
    goodbye: Goodbye
    def __init__(self, term: _Optional[_Union[_objects_pb2.Term, _Mapping]] = ..., goodbye: _Optional[_Union[Goodbye, _Mapping]] = ...) -> None: ...

class Goodbye(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class HoldReply(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
