"""Settings: a frozen dataclass, filled from flags, else from the environment, else from its defaults.

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Settings:
        grpc_address: Address = field(
            default=Address("127.0.0.1", 6444), metadata=config.about("Where gRPC clients connect.")
        )

    settings = config.load(Settings, program="steersman-apiserver", version="0.1.0", about="The API server.")

The field above is `--grpc-address` and `STEERSMAN_GRPC_ADDRESS`. Booleans are `--insecure` and `--no-insecure`; lists
are separated by commas, or the flag is repeated. Every bad value is named, all at once, and the process exits with 2.
"""

from __future__ import annotations

import argparse
import os
import shutil
import textwrap
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, ClassVar, NoReturn, Protocol, TypeVar

from steersman.base import values
from steersman.base.values import Form, ValueType

ENVIRONMENT_PREFIX = "STEERSMAN_"
EXIT_USAGE = 2


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


Settings = TypeVar("Settings", bound=_Dataclass)


def about(help_text: str, *, flag: str | None = None) -> Mapping[str, Any]:
    """The metadata of a settings field: what `--help` says of it, and its flag where the field's name would not do.

    A field without a default must be given.
    """
    return {"help": help_text, "flag": flag}


class BadSettings(ValueError):
    """What is wrong with the given values, one complaint each."""

    def __init__(self, complaints: Sequence[str]) -> None:
        super().__init__("; ".join(complaints))
        self.complaints = tuple(complaints)


@dataclass(frozen=True, slots=True)
class _Setting:
    name: str
    flag: str
    help: str
    default: Any
    type: ValueType

    @property
    def variable(self) -> str:
        return ENVIRONMENT_PREFIX + self.flag.removeprefix("--").replace("-", "_").upper()

    @property
    def default_shown(self) -> str:
        return "" if self.default is MISSING or self.default is None else self.type.show(self.default)


def _describe(settings: type[_Dataclass]) -> list[_Setting]:
    hints = typing.get_type_hints(settings)
    return [
        _Setting(
            name=each.name,
            flag="--" + (each.metadata.get("flag") or each.name.replace("_", "-")),
            help=each.metadata.get("help", ""),
            default=each.default,
            type=values.type_of(hints[each.name]),
        )
        for each in fields(settings)
    ]


def load(
    settings: type[Settings],
    *,
    program: str,
    version: str,
    about: str = "",
    arguments: Sequence[str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """The settings of this process. Answers `--help` and `--version`, and exits with 2 when a value is bad."""
    parser = _parser(_describe(settings), program, version, about)
    given = vars(parser.parse_args(arguments))
    try:
        return resolve(settings, given, os.environ if environment is None else environment)
    except BadSettings as bad:
        parser.error("\n".join(bad.complaints))


def resolve(settings: type[Settings], given: Mapping[str, str | None], environment: Mapping[str, str]) -> Settings:
    """Flags (`given`, by field name) over environment over defaults. An empty variable counts as not set.

    BadSettings for values that cannot be read, are missing, or that the class itself refuses with a ValueError.
    """
    chosen: dict[str, Any] = {}
    complaints: list[str] = []
    for each in _describe(settings):
        flag_text, variable_text = given.get(each.name), environment.get(each.variable)
        if flag_text is not None:
            source, text = each.flag, flag_text
        elif variable_text:
            source, text = each.variable, variable_text
        else:
            if each.default is MISSING:
                complaints.append(f"{each.flag} (or {each.variable}) is required")
            continue
        try:
            chosen[each.name] = None if each.type.optional and not text else each.type.parse(text)
        except ValueError as error:
            complaints.append(f"{source}: {error}")
    if complaints:
        raise BadSettings(complaints)
    try:
        return settings(**chosen)
    except ValueError as error:
        raise BadSettings([str(error)]) from error


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """The mistakes alone: a page of usage in front of them hides them."""
        lines = "".join(f"{self.prog}: {line}\n" for line in message.splitlines())
        self.exit(EXIT_USAGE, f"{lines}Try {self.prog} --help.\n")


class _Repeatable(argparse.Action):
    """A list's flag given again adds to it."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, value: Any, option: Any = None) -> None:
        before = getattr(namespace, self.dest, None)
        setattr(namespace, self.dest, value if not before else f"{before},{value}")


def _parser(described: Sequence[_Setting], program: str, version: str, about: str) -> _Parser:
    """Only collects text; reading it is `resolve`'s part, the same for flags and environment."""
    parser = _Parser(prog=program, allow_abbrev=False, add_help=False, argument_default=None)
    parser.format_help = lambda: _help(described, program, about)  # type: ignore[method-assign]
    parser.add_argument("-h", "--help", action="help")
    parser.add_argument("--version", action="version", version=f"{program} {version}")
    for each in described:
        match each.type.form:
            case Form.SWITCH:
                parser.add_argument(each.flag, dest=each.name, action="store_const", const="true")
                parser.add_argument(f"--no-{each.flag[2:]}", dest=each.name, action="store_const", const="false")
            case Form.LIST:
                parser.add_argument(each.flag, dest=each.name, action=_Repeatable)
            case Form.VALUE:
                parser.add_argument(each.flag, dest=each.name)
    return parser


def _help(described: Sequence[_Setting], program: str, about: str) -> str:
    width = min(shutil.get_terminal_size().columns, 100)
    lines = [f"usage: {program} [flags]", ""]
    if about:
        lines += [textwrap.fill(about, width), ""]
    lines += [f"Every flag may also be set in the environment: --some-flag is {ENVIRONMENT_PREFIX}SOME_FLAG.", ""]
    for each in described:
        is_switch = each.type.form is Form.SWITCH
        head = f"  --[no-]{each.flag[2:]}" if is_switch else f"  {each.flag} {each.type.placeholder}"
        default = each.default_shown
        notes = f" (default {default})" if default else " (required)" if each.default is MISSING else ""
        lines.append(head)
        lines.append(textwrap.fill(each.help + notes, width, initial_indent=" " * 6, subsequent_indent=" " * 6))
    lines += ["  --version", "      Print the version and exit.", "  --help", "      Print this and exit."]
    return "\n".join(lines) + "\n"
