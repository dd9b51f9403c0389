from steersman.pb import objects_pb2 as _objects_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Form(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OBJECT: _ClassVar[Form]
    TABLE: _ClassVar[Form]

class FieldValidation(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WARN: _ClassVar[FieldValidation]
    STRICT: _ClassVar[FieldValidation]
    IGNORE: _ClassVar[FieldValidation]
OBJECT: Form
TABLE: Form
WARN: FieldValidation
STRICT: FieldValidation
IGNORE: FieldValidation

class GetRequest(_message.Message):
    __slots__ = ("target", "resource_version", "form")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    FORM_FIELD_NUMBER: _ClassVar[int]
    target: _objects_pb2.Target
    resource_version: str
    form: Form
    def __init__(self, target: _Optional[_Union[_objects_pb2.Target, _Mapping]] = ..., resource_version: _Optional[str] = ..., form: _Optional[_Union[Form, str]] = ...) -> None: ...

class ListRequest(_message.Message):
    __slots__ = ("target", "label_selector", "field_selector", "limit", "resource_version", "resource_version_match", "form")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    LABEL_SELECTOR_FIELD_NUMBER: _ClassVar[int]
    FIELD_SELECTOR_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    CONTINUE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_MATCH_FIELD_NUMBER: _ClassVar[int]
    FORM_FIELD_NUMBER: _ClassVar[int]
    target: _objects_pb2.Target
    label_selector: str
    field_selector: str
    limit: int
    resource_version: str
    resource_version_match: str
    form: Form
    def __init__(self, target: _Optional[_Union[_objects_pb2.Target, _Mapping]] = ..., label_selector: _Optional[str] = ..., field_selector: _Optional[str] = ..., limit: _Optional[int] = ..., resource_version: _Optional[str] = ..., resource_version_match: _Optional[str] = ..., form: _Optional[_Union[Form, str]] = ..., **kwargs) -> None: ...

class ListReply(_message.Message):
    __slots__ = ("items", "revision", "remaining", "group", "version", "kind")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CONTINUE_FIELD_NUMBER: _ClassVar[int]
    REMAINING_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_objects_pb2.Object]
    revision: int
    remaining: int
    group: str
    version: str
    kind: str
    def __init__(self, items: _Optional[_Iterable[_Union[_objects_pb2.Object, _Mapping]]] = ..., revision: _Optional[int] = ..., remaining: _Optional[int] = ..., group: _Optional[str] = ..., version: _Optional[str] = ..., kind: _Optional[str] = ..., **kwargs) -> None: ...

class WatchRequest(_message.Message):
    __slots__ = ("start", "stop", "progress")
    START_FIELD_NUMBER: _ClassVar[int]
    STOP_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    start: WatchStart
    stop: WatchStop
    progress: WatchProgress
    def __init__(self, start: _Optional[_Union[WatchStart, _Mapping]] = ..., stop: _Optional[_Union[WatchStop, _Mapping]] = ..., progress: _Optional[_Union[WatchProgress, _Mapping]] = ...) -> None: ...

class WatchStart(_message.Message):
    __slots__ = ("id", "target", "label_selector", "field_selector", "resource_version", "resource_version_match", "bookmarks", "initial_events", "timeout_seconds", "form")
    ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    LABEL_SELECTOR_FIELD_NUMBER: _ClassVar[int]
    FIELD_SELECTOR_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_MATCH_FIELD_NUMBER: _ClassVar[int]
    BOOKMARKS_FIELD_NUMBER: _ClassVar[int]
    INITIAL_EVENTS_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    FORM_FIELD_NUMBER: _ClassVar[int]
    id: int
    target: _objects_pb2.Target
    label_selector: str
    field_selector: str
    resource_version: str
    resource_version_match: str
    bookmarks: bool
    initial_events: bool
    timeout_seconds: int
    form: Form
    def __init__(self, id: _Optional[int] = ..., target: _Optional[_Union[_objects_pb2.Target, _Mapping]] = ..., label_selector: _Optional[str] = ..., field_selector: _Optional[str] = ..., resource_version: _Optional[str] = ..., resource_version_match: _Optional[str] = ..., bookmarks: _Optional[bool] = ..., initial_events: _Optional[bool] = ..., timeout_seconds: _Optional[int] = ..., form: _Optional[_Union[Form, str]] = ...) -> None: ...

class WatchStop(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class WatchProgress(_message.Message):
    __slots__ = ("id", "revision")
    ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    id: int
    revision: int
    def __init__(self, id: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class WatchReply(_message.Message):
    __slots__ = ("id", "events")
    ID_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    id: int
    events: _containers.RepeatedCompositeFieldContainer[WatchEvent]
    def __init__(self, id: _Optional[int] = ..., events: _Optional[_Iterable[_Union[WatchEvent, _Mapping]]] = ...) -> None: ...

class WatchEvent(_message.Message):
    __slots__ = ("type", "object", "error")
    class Type(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        UNSPECIFIED: _ClassVar[WatchEvent.Type]
        ADDED: _ClassVar[WatchEvent.Type]
        MODIFIED: _ClassVar[WatchEvent.Type]
        DELETED: _ClassVar[WatchEvent.Type]
        BOOKMARK: _ClassVar[WatchEvent.Type]
        ERROR: _ClassVar[WatchEvent.Type]
        CLOSED: _ClassVar[WatchEvent.Type]
    UNSPECIFIED: WatchEvent.Type
    ADDED: WatchEvent.Type
    MODIFIED: WatchEvent.Type
    DELETED: WatchEvent.Type
    BOOKMARK: WatchEvent.Type
    ERROR: WatchEvent.Type
    CLOSED: WatchEvent.Type
    TYPE_FIELD_NUMBER: _ClassVar[int]
    OBJECT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    type: WatchEvent.Type
    object: _objects_pb2.Object
    error: _objects_pb2.Status
    def __init__(self, type: _Optional[_Union[WatchEvent.Type, str]] = ..., object: _Optional[_Union[_objects_pb2.Object, _Mapping]] = ..., error: _Optional[_Union[_objects_pb2.Status, _Mapping]] = ...) -> None: ...

class WriteOptions(_message.Message):
    __slots__ = ("dry_run", "field_manager", "field_validation", "term")
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    FIELD_MANAGER_FIELD_NUMBER: _ClassVar[int]
    FIELD_VALIDATION_FIELD_NUMBER: _ClassVar[int]
    TERM_FIELD_NUMBER: _ClassVar[int]
    dry_run: bool
    field_manager: str
    field_validation: FieldValidation
    term: _objects_pb2.Term
    def __init__(self, dry_run: _Optional[bool] = ..., field_manager: _Optional[str] = ..., field_validation: _Optional[_Union[FieldValidation, str]] = ..., term: _Optional[_Union[_objects_pb2.Term, _Mapping]] = ...) -> None: ...

class WriteReply(_message.Message):
    __slots__ = ("object", "warnings", "created", "status")
    OBJECT_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    object: _objects_pb2.Object
    warnings: _containers.RepeatedScalarFieldContainer[str]
    created: bool
    status: _objects_pb2.Status
    def __init__(self, object: _Optional[_Union[_objects_pb2.Object, _Mapping]] = ..., warnings: _Optional[_Iterable[str]] = ..., created: _Optional[bool] = ..., status: _Optional[_Union[_objects_pb2.Status, _Mapping]] = ...) -> None: ...

class CreateRequest(_message.Message):
    __slots__ = ("target", "json", "options", "subresource")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    JSON_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    SUBRESOURCE_FIELD_NUMBER: _ClassVar[int]
    target: _objects_pb2.Target
    json: bytes
    options: WriteOptions
    subresource: str
    def __init__(self, target: _Optional[_Union[_objects_pb2.Target, _Mapping]] = ..., json: _Optional[bytes] = ..., options: _Optional[_Union[WriteOptions, _Mapping]] = ..., subresource: _Optional[str] = ...) -> None: ...

class UpdateRequest(_message.Message):
    __slots__ = ("target", "json", "options", "subresource")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    JSON_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    SUBRESOURCE_FIELD_NUMBER: _ClassVar[int]
    target: _objects_pb2.Target
    json: bytes
    options: WriteOptions
    subresource: str
    def __init__(self, target: _Optional[_Union[_objects_pb2.Target, _Mapping]] = ..., json: _Optional[bytes] = ..., options: _Optional[_Union[WriteOptions, _Mapping]] = ..., subresource: _Optional[str] = ...) -> None: ...

class PatchRequest(_message.Message):
    __slots__ = ("target", "type", "patch", "subresource", "options")
    class Type(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        UNSPECIFIED: _ClassVar[PatchRequest.Type]
        JSON: _ClassVar[PatchRequest.Type]
        MERGE: _ClassVar[PatchRequest.Type]
        STRATEGIC: _ClassVar[PatchRequest.Type]
    UNSPECIFIED: PatchRequest.Type
    JSON: PatchRequest.Type
    MERGE: PatchRequest.Type
    STRATEGIC: PatchRequest.Type
    TARGET_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    PATCH_FIELD_NUMBER: _ClassVar[int]
    SUBRESOURCE_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    target: _objects_pb2.Target
    type: PatchRequest.Type
    patch: bytes
    subresource: str
    options: WriteOptions
    def __init__(self, target: _Optional[_Union[_objects_pb2.Target, _Mapping]] = ..., type: _Optional[_Union[PatchRequest.Type, str]] = ..., patch: _Optional[bytes] = ..., subresource: _Optional[str] = ..., options: _Optional[_Union[WriteOptions, _Mapping]] = ...) -> None: ...

class ApplyRequest(_message.Message):
    __slots__ = ("target", "json", "force", "subresource", "options")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    JSON_FIELD_NUMBER: _ClassVar[int]
    FORCE_FIELD_NUMBER: _ClassVar[int]
    SUBRESOURCE_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    target: _objects_pb2.Target
    json: bytes
    force: bool
    subresource: str
    options: WriteOptions
    def __init__(self, target: _Optional[_Union[_objects_pb2.Target, _Mapping]] = ..., json: _Optional[bytes] = ..., force: _Optional[bool] = ..., subresource: _Optional[str] = ..., options: _Optional[_Union[WriteOptions, _Mapping]] = ...) -> None: ...

class DeleteOptions(_message.Message):
    __slots__ = ("grace_period_seconds", "propagation_policy", "uid", "resource_version", "orphan_dependents")
    GRACE_PERIOD_SECONDS_FIELD_NUMBER: _ClassVar[int]
    PROPAGATION_POLICY_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    ORPHAN_DEPENDENTS_FIELD_NUMBER: _ClassVar[int]
    grace_period_seconds: int
    propagation_policy: str
    uid: str
    resource_version: str
    orphan_dependents: bool
    def __init__(self, grace_period_seconds: _Optional[int] = ..., propagation_policy: _Optional[str] = ..., uid: _Optional[str] = ..., resource_version: _Optional[str] = ..., orphan_dependents: _Optional[bool] = ...) -> None: ...

class DeleteRequest(_message.Message):
    __slots__ = ("target", "delete", "options")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    DELETE_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    target: _objects_pb2.Target
    delete: DeleteOptions
    options: WriteOptions
    def __init__(self, target: _Optional[_Union[_objects_pb2.Target, _Mapping]] = ..., delete: _Optional[_Union[DeleteOptions, _Mapping]] = ..., options: _Optional[_Union[WriteOptions, _Mapping]] = ...) -> None: ...

class DeleteCollectionRequest(_message.Message):
    __slots__ = ("list", "delete", "options")
    LIST_FIELD_NUMBER: _ClassVar[int]
    DELETE_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    list: ListRequest
    delete: DeleteOptions
    options: WriteOptions
    def __init__(self, list: _Optional[_Union[ListRequest, _Mapping]] = ..., delete: _Optional[_Union[DeleteOptions, _Mapping]] = ..., options: _Optional[_Union[WriteOptions, _Mapping]] = ...) -> None: ...

class BindRequest(_message.Message):
    __slots__ = ("target", "json", "options")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    JSON_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    target: _objects_pb2.Target
    json: bytes
    options: WriteOptions
    def __init__(self, target: _Optional[_Union[_objects_pb2.Target, _Mapping]] = ..., json: _Optional[bytes] = ..., options: _Optional[_Union[WriteOptions, _Mapping]] = ...) -> None: ...

class EvictRequest(_message.Message):
    __slots__ = ("target", "delete", "options")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    DELETE_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    target: _objects_pb2.Target
    delete: DeleteOptions
    options: WriteOptions
    def __init__(self, target: _Optional[_Union[_objects_pb2.Target, _Mapping]] = ..., delete: _Optional[_Union[DeleteOptions, _Mapping]] = ..., options: _Optional[_Union[WriteOptions, _Mapping]] = ...) -> None: ...

class ScaleRequest(_message.Message):
    __slots__ = ("target", "replicas", "resource_version", "options")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    REPLICAS_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    target: _objects_pb2.Target
    replicas: int
    resource_version: str
    options: WriteOptions
    def __init__(self, target: _Optional[_Union[_objects_pb2.Target, _Mapping]] = ..., replicas: _Optional[int] = ..., resource_version: _Optional[str] = ..., options: _Optional[_Union[WriteOptions, _Mapping]] = ...) -> None: ...

class BatchItem(_message.Message):
    __slots__ = ("id", "create", "update", "update_status", "patch", "delete", "bind", "evict", "scale", "apply", "traceparent")
    ID_FIELD_NUMBER: _ClassVar[int]
    CREATE_FIELD_NUMBER: _ClassVar[int]
    UPDATE_FIELD_NUMBER: _ClassVar[int]
    UPDATE_STATUS_FIELD_NUMBER: _ClassVar[int]
    PATCH_FIELD_NUMBER: _ClassVar[int]
    DELETE_FIELD_NUMBER: _ClassVar[int]
    BIND_FIELD_NUMBER: _ClassVar[int]
    EVICT_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    APPLY_FIELD_NUMBER: _ClassVar[int]
    TRACEPARENT_FIELD_NUMBER: _ClassVar[int]
    id: int
    create: CreateRequest
    update: UpdateRequest
    update_status: UpdateRequest
    patch: PatchRequest
    delete: DeleteRequest
    bind: BindRequest
    evict: EvictRequest
    scale: ScaleRequest
    apply: ApplyRequest
    traceparent: str
    def __init__(self, id: _Optional[int] = ..., create: _Optional[_Union[CreateRequest, _Mapping]] = ..., update: _Optional[_Union[UpdateRequest, _Mapping]] = ..., update_status: _Optional[_Union[UpdateRequest, _Mapping]] = ..., patch: _Optional[_Union[PatchRequest, _Mapping]] = ..., delete: _Optional[_Union[DeleteRequest, _Mapping]] = ..., bind: _Optional[_Union[BindRequest, _Mapping]] = ..., evict: _Optional[_Union[EvictRequest, _Mapping]] = ..., scale: _Optional[_Union[ScaleRequest, _Mapping]] = ..., apply: _Optional[_Union[ApplyRequest, _Mapping]] = ..., traceparent: _Optional[str] = ...) -> None: ...

class BatchResult(_message.Message):
    __slots__ = ("id", "reply", "error")
    ID_FIELD_NUMBER: _ClassVar[int]
    REPLY_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    id: int
    reply: WriteReply
    error: _objects_pb2.Status
    def __init__(self, id: _Optional[int] = ..., reply: _Optional[_Union[WriteReply, _Mapping]] = ..., error: _Optional[_Union[_objects_pb2.Status, _Mapping]] = ...) -> None: ...

class KindsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class KindsReply(_message.Message):
    __slots__ = ("kinds",)
    KINDS_FIELD_NUMBER: _ClassVar[int]
    kinds: _containers.RepeatedCompositeFieldContainer[KindInfo]
    def __init__(self, kinds: _Optional[_Iterable[_Union[KindInfo, _Mapping]]] = ...) -> None: ...

class KindInfo(_message.Message):
    __slots__ = ("group", "version", "kind", "resource", "singular", "short_names", "categories", "namespaced", "subresources", "verbs")
    GROUP_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    SINGULAR_FIELD_NUMBER: _ClassVar[int]
    SHORT_NAMES_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    NAMESPACED_FIELD_NUMBER: _ClassVar[int]
    SUBRESOURCES_FIELD_NUMBER: _ClassVar[int]
    VERBS_FIELD_NUMBER: _ClassVar[int]
    group: str
    version: str
    kind: str
    resource: str
    singular: str
    short_names: _containers.RepeatedScalarFieldContainer[str]
    categories: _containers.RepeatedScalarFieldContainer[str]
    namespaced: bool
    subresources: _containers.RepeatedScalarFieldContainer[str]
    verbs: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, group: _Optional[str] = ..., version: _Optional[str] = ..., kind: _Optional[str] = ..., resource: _Optional[str] = ..., singular: _Optional[str] = ..., short_names: _Optional[_Iterable[str]] = ..., categories: _Optional[_Iterable[str]] = ..., namespaced: _Optional[bool] = ..., subresources: _Optional[_Iterable[str]] = ..., verbs: _Optional[_Iterable[str]] = ...) -> None: ...
