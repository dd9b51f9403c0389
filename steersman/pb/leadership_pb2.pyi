from steersman.pb import objects_pb2 as _objects_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class HoldRequest(_message.Message):
    __slots__ = ("claim", "renew", "goodbye")
    CLAIM_FIELD_NUMBER: _ClassVar[int]
    RENEW_FIELD_NUMBER: _ClassVar[int]
    GOODBYE_FIELD_NUMBER: _ClassVar[int]
    claim: Claim
    renew: Renew
    goodbye: Goodbye
    def __init__(self, claim: _Optional[_Union[Claim, _Mapping]] = ..., renew: _Optional[_Union[Renew, _Mapping]] = ..., goodbye: _Optional[_Union[Goodbye, _Mapping]] = ...) -> None: ...

class Claim(_message.Message):
    __slots__ = ("lease_namespace", "lease_name", "holder", "lease_duration_seconds", "token")
    LEASE_NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    LEASE_NAME_FIELD_NUMBER: _ClassVar[int]
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    LEASE_DURATION_SECONDS_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    lease_namespace: str
    lease_name: str
    holder: str
    lease_duration_seconds: int
    token: int
    def __init__(self, lease_namespace: _Optional[str] = ..., lease_name: _Optional[str] = ..., holder: _Optional[str] = ..., lease_duration_seconds: _Optional[int] = ..., token: _Optional[int] = ...) -> None: ...

class Renew(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Goodbye(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class HoldReply(_message.Message):
    __slots__ = ("term", "standby", "error")
    TERM_FIELD_NUMBER: _ClassVar[int]
    STANDBY_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    term: _objects_pb2.Term
    standby: Standby
    error: _objects_pb2.Status
    def __init__(self, term: _Optional[_Union[_objects_pb2.Term, _Mapping]] = ..., standby: _Optional[_Union[Standby, _Mapping]] = ..., error: _Optional[_Union[_objects_pb2.Status, _Mapping]] = ...) -> None: ...

class Standby(_message.Message):
    __slots__ = ("holder",)
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    holder: str
    def __init__(self, holder: _Optional[str] = ...) -> None: ...
