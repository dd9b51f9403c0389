"""`steer get`: objects as tables that the server makes, or as YAML, JSON, names and JSONPath."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click
import msgspec

from steersman.api.errors import ApiError, NotFound
from steersman.api.names import Revision
from steersman.cli import arguments, documents, naming, refusals, session, tables
from steersman.cli.documents import Document
from steersman.cli.naming import Wanted
from steersman.cli.session import Session
from steersman.cli.tables import Look
from steersman.client.client import Client
from steersman.client.watching import Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked for. An empty namespace means all of them."""

    wanted: Sequence[Wanted]
    namespace: str
    label_selector: str
    field_selector: str
    output: str
    look: Look
    ignore_not_found: bool

    def place(self, one: Wanted) -> str:
        return self.namespace if one.kind.namespaced else ""


@click.command()
@click.argument("what", nargs=-1, metavar="TYPE [NAME…] | TYPE/NAME…", shell_complete=arguments.complete)
@session.with_session
@click.option("-o", "--output", default="", help="wide, yaml, json, name or jsonpath=TEMPLATE.")
@click.option("-l", "--selector", default="", help="Only objects with these labels.")
@click.option("--field-selector", default="", help="Only objects with these fields.")
@click.option("-A", "--all-namespaces", is_flag=True, help="In every namespace.")
@click.option("-w", "--watch", is_flag=True, help="Go on with what changes.")
@click.option("--show-labels", is_flag=True, help="Labels as the last column.")
@click.option("--no-headers", is_flag=True, help="Rows alone.")
@click.option("--ignore-not-found", is_flag=True, help="What is not there is no error.")
def get(session: Session, what: tuple[str, ...], output: str, watch: bool, **flags: Any) -> None:  # noqa: FBT001 -- a flag
    """Show objects.

    TYPE is a kind in any of its names (pods, po, deployment.apps), several with commas, or a category such as all.
    """
    everywhere = flags["all_namespaces"]
    wanted = arguments.understood(naming.wanted, what)
    question = Question(
        wanted=wanted,
        namespace="" if everywhere else session.namespace,
        label_selector=flags["selector"],
        field_selector=flags["field_selector"],
        output=arguments.output(output),
        look=Look(
            wide=output == "wide",
            with_namespace=everywhere,
            with_labels=flags["show_labels"],
            without_headers=flags["no_headers"],
        ),
        ignore_not_found=flags["ignore_not_found"],
    )
    if any(one.names for one in wanted) and everywhere:
        refusals.fail("error: a resource cannot be retrieved by name across all namespaces")
    if watch and (len(wanted) != 1 or len(wanted[0].names) > 1):
        refusals.fail("error: you may only specify a single resource type with --watch")
    refusals.carried_out(_got(session, question, watch=watch), session.server)


async def _got(session: Session, question: Question, *, watch: bool) -> None:
    async with session.opened() as api:
        if watch:
            await _watched(api, question)
        elif question.output in ("", "wide"):
            await _printed(api, question)
        else:
            await _dumped(api, question)


async def _printed(api: Client, question: Question) -> None:
    """A table for each kind, with an empty line between; what is not found is said at the end."""
    several = len(question.wanted) > 1
    shown, problems = 0, list[ApiError]()
    for one in question.wanted:
        found = await _tables(api, question, one, problems)
        look = msgspec.structs.replace(question.look, prefix=naming.qualified(one.kind) if several else "")
        columns = next((table.column_definitions for table in found), [])
        made = [row for number, table in enumerate(found) for row in _rows(table, look, columns, first=not number)]
        if any(table.rows for table in found):
            click.echo(("\n" if shown else "") + tables.aligned(made), nl=False)
            shown += 1
    _conclude(question, problems, nothing=not shown)


def _rows(table: tables.Table, look: Look, columns: list[tables.Column], *, first: bool) -> list[list[str]]:
    return tables.rows(table, look if first else msgspec.structs.replace(look, without_headers=True), columns)


async def _tables(api: Client, question: Question, one: Wanted, problems: list[ApiError]) -> list[tables.Table]:
    of_kind, place = api.tables(one.kind), question.place(one)
    if not one.names:
        pages = of_kind.pages(place, label_selector=question.label_selector, field_selector=question.field_selector)
        return [tables.decode(table) async for page in pages for table in page.items]
    found = []
    for name in one.names:
        try:
            found.append(tables.decode(await of_kind.get(name, place)))
        except NotFound as error:
            problems.append(error)
    return found


async def _dumped(api: Client, question: Question) -> None:
    problems: list[ApiError] = []
    found: list[tuple[Wanted, Document]] = []
    for one in question.wanted:
        found += [(one, each) for each in await _documents(api, question, one, problems)]
    if question.output == "name":
        for one, document in found:
            click.echo(naming.reference(one.kind, document["metadata"]["name"]))
    elif found or not all(one.names for one in question.wanted):
        single = len(question.wanted) == 1 and len(question.wanted[0].names) == 1
        whole = [documents.shown(document) for _, document in found]
        click.echo(_text(whole[0] if single else documents.list_of(whole), question.output), nl=False)
    _conclude(question, problems, nothing=False)


async def _documents(api: Client, question: Question, one: Wanted, problems: list[ApiError]) -> list[Document]:
    raw, place = api.raw(one.kind), question.place(one)
    if not one.names:
        pages = raw.pages(place, label_selector=question.label_selector, field_selector=question.field_selector)
        return [msgspec.json.decode(each) async for page in pages for each in page.items]
    found = []
    for name in one.names:
        try:
            found.append(msgspec.json.decode(await raw.get(name, place)))
        except NotFound as error:
            problems.append(error)
    return found


def _text(document: Document, output: str) -> str:
    if output == "json":
        return documents.as_json(document)
    if output == "yaml":
        return documents.as_yaml(document)
    try:
        return documents.by_template(output.removeprefix("jsonpath="), document)
    except documents.BadTemplate as error:
        refusals.fail(f"error: error parsing jsonpath {output.removeprefix('jsonpath=')}, {error}")


def _conclude(question: Question, problems: Sequence[ApiError], *, nothing: bool) -> None:
    if nothing and not problems:
        in_one = question.namespace and any(one.kind.namespaced for one in question.wanted)
        where = f" in {question.namespace} namespace." if in_one else ""
        refusals.complain(f"No resources found{where}")
    if problems and not question.ignore_not_found:
        refusals.fail("\n".join(refusals.text_of(problem) for problem in problems))


async def _watched(api: Client, question: Question) -> None:
    """The present, then every change as it comes, until interrupted."""
    one = question.wanted[0]
    of_kind, place = api.tables(one.kind), question.place(one)
    name = one.names[0] if one.names else ""
    selector = f"metadata.name={name}" if name else question.field_selector
    page = await of_kind.list(place, label_selector=question.label_selector, field_selector=selector)
    table = tables.decode(page.items[0])
    columns, made = table.column_definitions, tables.rows(table, question.look)
    widths = tables.widths_of(made)
    if table.rows:
        click.echo(tables.aligned(made), nl=False)
    bare = msgspec.structs.replace(question.look, without_headers=bool(table.rows))
    watch = of_kind.watch(
        after=Revision(page.revision),
        namespace=place,
        label_selector=question.label_selector,
        field_selector=selector,
    )
    async with watch:
        async for event in watch:
            if isinstance(event, Change):
                news = tables.decode(event.object)
                click.echo(tables.aligned(tables.rows(news, bare, columns), widths), nl=False)
                bare = msgspec.structs.replace(bare, without_headers=True)
