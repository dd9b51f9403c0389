"""Objects that nobody would write: any Struct, filled by chance with words that the rules stumble over."""

from __future__ import annotations

import types
from functools import cache
from random import Random
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from steersman.api.part import Json, MicroTime, Part, Quantity, Time

T = TypeVar("T", bound=Part)

WORDS = (
    *(
        "",
        "a",
        "b",
        "-",
        "A",
        ".",
        "..",
        "/",
        "../a",
        "/a",
        "a/b",
        "a.b/c",
        "a b",
        "ä",
        "\x00",
        "0",
        "1",
        "80",
        "a" * 300,
    ),
    *("Always", "Never", "OnFailure", "None", "Localhost", "RuntimeDefault", "Unmasked", "In", "Exists", "Gt"),
    *("cpu", "memory", "hugepages-2Mi", "example.com/gpu", "limits.cpu", "metadata.labels['a']", "metadata.name"),
    *("linux", "windows", "10.0.0.1", "::1", "010.0.0.1", "iqn.2001-04.com.example:x", "kubernetes.io/config.mirror"),
    *("container.apparmor.security.beta.kubernetes.io/a", "controller.kubernetes.io/pod-deletion-cost", "localhost/x"),
)
NUMBERS = (0, 1, 2, -1, 80, 255, 256, 65535, 65536, 2**31 - 1, -(2**31))
AMOUNTS = ("0", "1", "-1", "500m", "1n", "1500u", "2Mi", "3Mi", "1Gi", "1e3")
MOST_FIELDS = 7


def arbitrary(struct: type[T], random: Random) -> T:
    made: T = _make(struct, random)
    return made


def _make(kind: Any, random: Random) -> Any:
    least = 0
    if get_origin(kind) is Annotated:
        kind, *notes = get_args(kind)
        least = max((note.min_length or 0 for note in notes if isinstance(note, msgspec.Meta)), default=0)
    if isinstance(kind, types.UnionType) or get_origin(kind) is Union:
        return _make(random.choice(get_args(kind)), random)
    if get_origin(kind) is tuple:
        return tuple(_make(get_args(kind)[0], random) for _ in range(max(least, random.choice((0, 1, 1, 2)))))
    if get_origin(kind) is dict:
        return {random.choice(WORDS): _make(get_args(kind)[1], random) for _ in range(random.choice((0, 1, 2)))}
    if isinstance(kind, type) and issubclass(kind, Part):
        return _make_struct(kind, random)
    return _make_scalar(kind, random)


def _make_struct(struct: type[Part], random: Random) -> Part:
    hints = _hints(struct)
    chosen = random.sample(list(hints), min(len(hints), random.randint(0, MOST_FIELDS)))
    if "containers" in hints:
        chosen = list({*chosen, "containers"})
    return struct(**{name: _make(hints[name], random) for name in chosen})


def _make_scalar(kind: Any, random: Random) -> Any:
    scalars: dict[Any, Any] = {
        str: lambda: random.choice(WORDS),
        int: lambda: random.choice(NUMBERS),
        bool: lambda: random.random() < 0.5,
        bytes: lambda: b"x",
        Quantity: lambda: Quantity(random.choice(AMOUNTS)),
        Time: lambda: Time("2026-11-18T06:59:47Z"),
        MicroTime: lambda: MicroTime("2026-11-18T06:59:47.000000Z"),
        Json: lambda: msgspec.Raw(b"{}"),
        type(None): lambda: None,
    }
    return scalars[kind]()


@cache
def _hints(struct: type[Part]) -> dict[str, Any]:
    return get_type_hints(struct, include_extras=True)
