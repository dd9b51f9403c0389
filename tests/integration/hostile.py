"""Requests that no decent client would send: made at random from valid ones, the same for the same seed. Pure.

Each is a method and the bytes of its message. Most are wrong somewhere; some are legitimate by chance.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from google.protobuf.message import Message

from steersman.api import codec, kinds
from steersman.pb import objects_pb2, resources_pb2
from tests import builders
from tests.integration.hostilevalues import (
    GROUPS,
    JSON_POINTERS,
    NAMES,
    NUMBERS,
    ODD_RESOURCES,
    PRESENT,
    RESOURCES,
    REVISIONS,
    SELECTORS,
    VERSIONS,
    junk,
    revision,
)
from tests.unit.api import anyobject

DEEP = 100_000
HUGE = 300_000

Maker = Callable[[Random], "Request"]


@dataclass(frozen=True, slots=True)
class Request:
    what: str
    method: str
    body: bytes


def valid_object(random: Random) -> tuple[str, dict[str, Any]]:
    """The resource, and a good object of it with much to spoil."""
    name = random.choice((*PRESENT, f"made-{random.randrange(50)}"))
    kind = random.randrange(4)
    metadata: dict[str, Any] = {
        "labels": {"app": "x"},
        "annotations": {"note": "y"},
        "finalizers": [],
        "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "web", "uid": "u"}],
    }
    if kind == 0:
        return "configmaps", json.loads(builders.make_configmap(name, **metadata, binaryData={"b": "AAAA"}))
    if kind == 1:
        spec = {"terminationGracePeriodSeconds": 5, "tolerations": [{"key": "k", "operator": "Exists"}], "volumes": []}
        return "pods", json.loads(builders.make_pod(name, node=random.choice(("", "n1")), **metadata, spec=spec))
    if kind == 2:
        return "leases", json.loads(builders.make_lease(name, **metadata))
    return "namespaces", json.loads(builders.make_namespace(name, **metadata))


def spoiled(random: Random, value: Any) -> Any:
    """The value with something put, added or taken at a random place."""
    if isinstance(value, dict) and value and random.random() < 0.85:
        key = random.choice(list(value))
        if random.random() < 0.1:
            return {**value, random.choice(("unknown", "", "\0", "__class__", key.upper())): junk(random)}
        if random.random() < 0.05:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: spoiled(random, value[key])}
    if isinstance(value, list) and value and random.random() < 0.7:
        place = random.randrange(len(value))
        return [*value[:place], spoiled(random, value[place]), *value[place + 1 :]]
    return junk(random)


def encoded(random: Random, value: Any) -> bytes:
    """As JSON; sometimes broken as text."""
    body = json.dumps(value).encode()
    how = random.random()
    if how < 0.85 or len(body) < 3:
        return body
    place = random.randrange(1, len(body))
    if how < 0.88:
        return body[:place]
    if how < 0.91:
        return body[:place] + bytes([random.randrange(256)]) + body[place + 1 :]
    if how < 0.94:
        return body[:place] + random.choice((b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"\0")) + body[place:]
    if how < 0.96:
        return body[:-1] + b',"metadata":{"name":"again"},"metadata":7,"zzz":"\xff"}'
    if how < 0.98:
        return random.choice((b"\xef\xbb\xbf", b" \n", b"//", b"\0")) + body + random.choice((b"", b"{}", b"]", b"\0"))
    return random.choice((b"", b"null", b"[]", b"7", b'"x"', b"{", b"NaN", b"{}", b"---\nkind: Pod\n"))


def sane_target(resource: str, name: str = "") -> objects_pb2.Target:
    group = "coordination.k8s.io" if resource == "leases" else ""
    namespace = "" if resource == "namespaces" else "default"
    return objects_pb2.Target(group=group, resource=resource, namespace=namespace, name=name)


def odd_target(random: Random, resource: str = "", name: str = "") -> objects_pb2.Target:
    """Mostly a right one, so that requests get past the first check."""
    if random.random() < 0.8:
        resource = resource or random.choice(RESOURCES)
        target = sane_target(resource, name or random.choice((*PRESENT, *PRESENT, "")))
        if random.random() < 0.1:
            target.namespace = random.choice(("", "missing", "kube-system"))
        return target
    return objects_pb2.Target(
        group=random.choice(GROUPS),
        version=random.choice(VERSIONS),
        resource=random.choice(ODD_RESOURCES),
        namespace=random.choice(("default", "", *NAMES)),
        name=random.choice(NAMES),
    )


def odd_options(random: Random) -> resources_pb2.WriteOptions:
    if random.random() < 0.6:
        return resources_pb2.WriteOptions()
    options = resources_pb2.WriteOptions(
        dry_run=random.random() < 0.4,
        field_manager=random.choice(("", "me", "x" * 200, "\0", "名")),
        field_validation=random.choice((0, 1, 2, 3, 99, -1)),  # type: ignore[arg-type]
    )
    if random.random() < 0.1:
        options.term.CopyFrom(
            objects_pb2.Term(
                lease_namespace=random.choice(NAMES), lease_name=random.choice(NAMES), token=random.choice(NUMBERS)
            )
        )
    return options


def odd_delete(random: Random) -> resources_pb2.DeleteOptions:
    made = resources_pb2.DeleteOptions()
    if random.random() < 0.6:
        made.grace_period_seconds = random.choice(NUMBERS)
    if random.random() < 0.4:
        made.propagation_policy = random.choice(("Background", "Foreground", "Orphan", "orphan", "x" * 5000, "\0"))
    if random.random() < 0.2:
        made.uid = random.choice(("u", "x" * 5000))
    if random.random() < 0.2:
        made.resource_version = random.choice(REVISIONS)
    if random.random() < 0.2:
        made.orphan_dependents = random.random() < 0.5
    return made


# -- one maker for each way to be wrong


def write(random: Random) -> Request:
    resource, good = valid_object(random)
    body = encoded(random, spoiled(random, good) if random.random() < 0.9 else good)
    target = odd_target(random, resource, good["metadata"]["name"])
    method = random.choice(("Create", "Create", "Update", "Update", "UpdateStatus", "Bind", "Apply"))
    if method == "Create" and random.random() < 0.5:
        target.name = ""
    pb = resources_pb2
    made: Message
    if method in ("Update", "UpdateStatus"):
        subresource = random.choice(("", "", "", "status", "finalize", "scale", "nonsense", "\0"))
        made = pb.UpdateRequest(target=target, json=body, options=odd_options(random), subresource=subresource)
    else:
        kind = {"Create": pb.CreateRequest, "Bind": pb.BindRequest, "Apply": pb.ApplyRequest}[method]
        made = kind(target=target, json=body, options=odd_options(random))
    return Request("spoiled object", method, made.SerializeToString())


def any_kind(random: Random) -> Request:
    """A complete and meaningless object of any kind, under a good name."""
    kind = random.choice(kinds.ALL)
    drawn = codec.to_dict(anyobject.draw(kind.struct, random)) if random.random() < 0.8 else {}
    name, namespace = random.choice(PRESENT), "default" if kind.namespaced else ""
    meta = drawn.get("metadata", {}) if random.random() < 0.1 else {}
    body = {**drawn, "apiVersion": kind.api_version, "kind": kind.kind, "metadata": {**meta, "name": name}}
    raw = encoded(random, spoiled(random, body) if random.random() < 0.2 else body)
    target = objects_pb2.Target(
        group=kind.group, version=kind.version, resource=kind.resource, namespace=namespace, name=name
    )
    pb = resources_pb2
    method = random.choice(("Create", "Create", "Update", "UpdateStatus", "Patch"))
    made: Message
    match method:
        case "Create":
            target.name = ""
            made = pb.CreateRequest(target=target, json=raw)
        case "Patch":
            made = pb.PatchRequest(target=target, type=random.choice((2, 3)), patch=raw)  # type: ignore[arg-type]
        case _:
            made = pb.UpdateRequest(target=target, json=raw)
    return Request("object of any kind", method, made.SerializeToString())


def list_request(random: Random) -> resources_pb2.ListRequest:
    made = resources_pb2.ListRequest(target=odd_target(random))
    made.target.name = random.choice(("", "", "", made.target.name))
    if random.random() < 0.4:
        made.label_selector = random.choice(SELECTORS)
    if random.random() < 0.4:
        made.field_selector = random.choice(SELECTORS)
    if random.random() < 0.4:
        made.limit = random.choice(NUMBERS)
    if random.random() < 0.4:
        made.resource_version = revision(random)
    if random.random() < 0.3:
        made.resource_version_match = random.choice(("Exact", "NotOlderThan", "exact", "x" * 5000))
    if random.random() < 0.3:
        setattr(made, "continue", forged_token(random))
    return made


def forged_token(random: Random) -> str:
    token = {
        "v": "meta.k8s.io/v1",
        "rv": random.choice((0, 1, -1, 5, 2**63, 2**70, "1", None)),
        "start": random.choice(NAMES),
    }
    if random.random() < 0.3:
        token = spoiled(random, token)
    text = base64.urlsafe_b64encode(json.dumps(token).encode()).decode()
    return random.choice((text, text.rstrip("="), text[:-3], "x" * 100_000, "====", "名", "\0"))


def listing(random: Random) -> Request:
    return Request("odd list", "List", list_request(random).SerializeToString())


def delete_many(random: Random) -> Request:
    made = resources_pb2.DeleteCollectionRequest(
        list=list_request(random), delete=odd_delete(random), options=odd_options(random)
    )
    return Request("odd deletecollection", "DeleteCollection", made.SerializeToString())


def getting(random: Random) -> Request:
    made = resources_pb2.GetRequest(target=odd_target(random), resource_version=revision(random))
    return Request("odd get", "Get", made.SerializeToString())


def deleting(random: Random) -> Request:
    method = random.choice(("Delete", "Delete", "Evict"))
    kind = resources_pb2.DeleteRequest if method == "Delete" else resources_pb2.EvictRequest
    made = kind(target=odd_target(random), delete=odd_delete(random), options=odd_options(random))
    return Request("odd delete", method, made.SerializeToString())


def patching(random: Random) -> Request:
    resource, good = valid_object(random)
    patch = random.choice(
        (
            spoiled(random, good),
            spoiled(random, {"metadata": {"labels": {"a": "b"}}}),
            [json_patch_step(random) for _ in range(random.randrange(4))],
            spoiled(random, [json_patch_step(random)]),
            {
                "spec": {
                    "containers": [{"name": "main", "$patch": junk(random)}],
                    "$setElementOrder/containers": junk(random),
                }
            },
            {"$patch": random.choice(("delete", "replace", "merge", "x", None, 7))},
            {"$retainKeys": junk(random), "metadata": None},
            {"$deleteFromPrimitiveList/finalizers": junk(random)},
            junk(random),
        )
    )
    made = resources_pb2.PatchRequest(
        target=odd_target(random, resource, random.choice(PRESENT)),
        type=random.choice((0, 1, 1, 2, 2, 3, 3, 9, -1)),  # type: ignore[arg-type]
        patch=encoded(random, patch),
        subresource=random.choice(("", "", "", "status", "scale", "x")),
        options=odd_options(random),
    )
    return Request("odd patch", "Patch", made.SerializeToString())


def json_patch_step(random: Random) -> Any:
    step = {
        "op": random.choice(("add", "remove", "replace", "move", "copy", "test", "explode")),
        "path": random.choice(JSON_POINTERS),
    }
    return {**step, "from": random.choice(JSON_POINTERS), "value": junk(random)}


def scaling(random: Random) -> Request:
    made = resources_pb2.ScaleRequest(
        target=odd_target(random),
        replicas=random.choice((None, 0, -1, 2**31 - 1, -(2**31))),
        resource_version=random.choice(REVISIONS),
        options=odd_options(random),
    )
    return Request("odd scale", "Scale", made.SerializeToString())


def broken_protobuf(random: Random) -> Request:
    good = random.choice((write, listing, getting, patching, deleting))(random)
    body = good.body
    place = random.randrange(len(body) + 1)
    damaged = random.choice(
        (
            body[:place],
            body[:place] + random.randbytes(random.randrange(1, 20)) + body[place:],
            random.randbytes(random.randrange(1, 500)),
            body + b"\xf2\x7f\x03abc" + body,  # an unknown field, and every known one a second time
            b"\x0a\x04\x1a\x02\xff\xfe",  # a target whose resource is no UTF-8
            b"\x0a\xff\xff\xff\xff\x0f",  # a length of 4 GiB
            b"\x0b" * 5000,  # groups in groups
        )
    )
    return Request("broken protobuf", good.method, damaged)


def deep(random: Random) -> Request:
    resource, good = valid_object(random)
    opening, closing = random.choice(((b"[", b"]"), (b'{"a":', b"}")))
    nest = opening * DEEP + b"1" + closing * random.choice((DEEP, DEEP - 1, 0))
    place = random.choice((b"unknown", b"data", b"spec", b"metadata", b"status"))
    target = sane_target(resource, good["metadata"]["name"])
    body = random.choice((nest, json.dumps(good).encode()[:-1] + b',"' + place + b'":' + nest + b"}"))
    if random.random() < 0.5:
        patch = resources_pb2.PatchRequest(target=target, type=random.choice((1, 2, 3)), patch=body)  # type: ignore[arg-type]
        return Request("deep patch", "Patch", patch.SerializeToString())
    target.name = ""
    return Request("deep object", "Create", resources_pb2.CreateRequest(target=target, json=body).SerializeToString())


def huge(random: Random) -> Request:
    """Too much of one thing: a value, a name, keys, elements."""
    _, good = valid_object(random)
    text = random.choice('x\0"名') * HUGE
    size = random.randrange(6)
    if size == 0:
        good["metadata"]["name"] = text
    elif size == 1:
        good["metadata"]["labels"] = {text: text}
    elif size == 2:
        good["metadata"]["annotations"] = {f"k{number}": "v" for number in range(20_000)}
    elif size == 3:
        good["metadata"]["finalizers"] = [f"Bad Finalizer {number}" for number in range(20_000)]
    elif size == 4:
        good["data"] = {"a": text * 5}
    else:
        good = {**good, **{f"unknown{number}": number for number in range(20_000)}}
    target = objects_pb2.Target(resource="configmaps", namespace="default")
    body = json.dumps({**good, "kind": "ConfigMap", "apiVersion": "v1"}).encode()
    return Request("huge object", "Create", resources_pb2.CreateRequest(target=target, json=body).SerializeToString())


_SMALL: tuple[tuple[Maker, int], ...] = (
    (write, 40),
    (any_kind, 30),
    (patching, 20),
    (listing, 12),
    (broken_protobuf, 12),
    (deleting, 6),
    (getting, 5),
    (scaling, 2),
    (delete_many, 1),
)


def small(random: Random) -> Request:
    makers, weights = zip(*_SMALL, strict=True)
    make: Maker = random.choices(makers, weights)[0]
    return make(random)


def large(random: Random) -> Request:
    return random.choice((deep, huge))(random)
