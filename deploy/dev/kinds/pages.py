"""The pages: an index, one page per kind, and one page per API module for the types that several fields have."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from apiserver.registry.catalog import STRATEGIES
from deploy.dev.kinds import defaults, fieldtables, markdown
from deploy.dev.kinds.defaults import Added, Defaults
from deploy.dev.kinds.markdown import code
from deploy.dev.kinds.rules import TESTS, Rule, Rules
from steersman.api import kinds
from steersman.api.core import Pod, PodTemplate, PodTemplateSpec
from steersman.api.kinds import Kind
from steersman.api.meta import ObjectMeta
from steersman.api.part import Part

INDEX = "kinds.md"
FOLDER = "kinds"
_GENERATED = "<!-- Written by `make docs`. Do not edit. -->"
_PROSE = f"""
Every kind that the API server knows, read off the code: its fields, the defaults that it is given, the complaints
that it can draw, and for each complaint a test that draws it.

- **Fields.** *Required*: must be given. *Always written*: in every answer, even when empty. *Pointer*: absent is not
  the same as zero. *List type* and *map type* say what server-side apply merges, *patch* what a strategic merge patch
  does. A type that several fields have is described once, on the page of its API module, and linked.
- **Defaults** are what the server adds to a small valid object, and what it adds to optional parts when these are
  given.
- **Rules** are listed with the complaint about whoever breaks them and a test that does. Indexes are left out; values
  are the test's, cut short. Tests are named from `{TESTS}/`.
  What holds for the metadata of every kind is said once, at [ObjectMeta](kinds/types-meta.md#objectmeta); what holds
  for every pod template, at [Pod](kinds/pods.md#rules) and
  [PodTemplateSpec](kinds/types-core.md#podtemplatespec).
"""


@dataclass(frozen=True, slots=True)
class _Facts:
    rules: Rules
    apart: frozenset[type[Part]]
    defaults: Mapping[Kind, Defaults]


def render(rules: Rules) -> Mapping[str, str]:
    """The text of every file, by its path below docs/."""
    facts = _Facts(
        rules,
        fieldtables.types_apart(rules),
        {kind: defaults.of(kind) for kind in kinds.ALL if kind.qualified_resource in STRATEGIES},
    )
    files = {INDEX: markdown.page(_index(facts))}
    for kind in kinds.ALL:
        files[f"{FOLDER}/{file_name(kind)}"] = markdown.page(_kind(kind, facts))
    for module in sorted({_module(struct) for struct in facts.apart}):
        files[f"{FOLDER}/types-{module}.md"] = markdown.page(_types(module, facts))
    return files


def file_name(kind: Kind) -> str:
    """As kubectl names resources: `deployments.apps`, with a version where the kind is stored in another one."""
    in_another = kind.stored_as and kind.storage.group == kind.group
    return f"{kind.resource}{f'.{kind.version}' if in_another else ''}{f'.{kind.group}' if kind.group else ''}.md"


def _module(struct: type[Part]) -> str:
    return struct.__module__.rpartition(".")[2]


def _link(struct: type[Part]) -> str:
    return f"[{struct.__name__}](types-{_module(struct)}.md#{struct.__name__.lower()})"


def _index(facts: _Facts) -> Iterator[str]:
    yield from (_GENERATED, "# The kinds", *_PROSE.splitlines(), "")
    head = ("group", "version", "kind", "resource", "short names", "namespaced", "subresources", "verbs", "rules")
    yield from markdown.table(head, (_index_row(kind, facts) for kind in sorted(kinds.ALL, key=_place)))
    yield from ("## Types that several fields have", "")
    for module in sorted({_module(struct) for struct in facts.apart}):
        names = sorted(struct.__name__ for struct in facts.apart if _module(struct) == module)
        linked = (f"[{name}]({FOLDER}/types-{module}.md#{name.lower()})" for name in names)
        yield from (f"**{module}**: {', '.join(linked)}", "")


def _place(kind: Kind) -> tuple[str, str, str]:
    return kind.group, kind.kind, kind.version


def _index_row(kind: Kind, facts: _Facts) -> Sequence[str]:
    verbs = "all" if kind.verbs == kinds.ALL_VERBS else ", ".join(kind.verbs)
    return (
        kind.group or "core",
        kind.version,
        f"[{kind.kind}]({FOLDER}/{file_name(kind)})",
        kind.resource,
        ", ".join(kind.short_names),
        "yes" if kind.namespaced else "no",
        ", ".join(kind.subresources),
        verbs,
        str(len(_rules_of(kind, facts))),
    )


def _kind(kind: Kind, facts: _Facts) -> Iterator[str]:
    yield from (_GENERATED, f"# {kind.kind}", "", _summary(kind.struct), "")
    yield from _about(kind)
    yield from ("## Fields", "")
    yield from _fields(kind.struct, facts)
    yield from ("## Defaults", "")
    yield from _defaults(kind, facts)
    yield from ("## Rules", "")
    yield from _rules(kind, facts)


def _about(kind: Kind) -> Iterator[str]:
    short = f" (short {', '.join(map(code, kind.short_names))})" if kind.short_names else ""
    yield f"- {code(kind.api_version)}, resource {code(kind.resource)}{short}, {_scope(kind)}"
    yield f"- verbs: {', '.join(kind.verbs)}"
    if kind.subresources:
        yield f"- subresources: {', '.join(kind.subresources)}"
    if kind.stored_as:
        yield f"- stored as [{kind.storage.api_version}]({file_name(kind.storage)}) and converted on the way"
    yield from ("- all kinds: [index](../kinds.md)", "")


def _scope(kind: Kind) -> str:
    return "in a namespace" if kind.namespaced else "for the whole cluster"


def _summary(struct: type[Part]) -> str:
    return " ".join((struct.__doc__ or "").partition("\n\n")[0].split())


def _fields(struct: type[Part], facts: _Facts) -> list[str]:
    rows = fieldtables.rows(struct, facts.apart, _link)
    return markdown.table(("field", "type", "notes"), ((code(row.path), row.type, row.notes) for row in rows))


def _defaults(kind: Kind, facts: _Facts) -> Iterator[str]:
    own = facts.defaults.get(kind)
    if own is None:
        yield from ("None: objects of this kind are not stored.", "")
        return
    always, when_given = _beside_templates(kind, own.always, facts), _beside_templates(kind, own.when_given, facts)
    if not always and not when_given:
        yield from ("None of its own." if len(always) == len(own.always) else "Those of its template alone.", "")
    yield from (f"- {code(f'{path} = {_value(value)}')}" for path, value in always.items())
    yield ""
    if when_given:
        yield from ("Where these parts are given:", "")
        yield from (f"- {code(f'{path} = {_value(value)}')}" for path, value in when_given.items())
    for path in _templates(kind):
        yield from ("", f"In {code(path)}, as in {code('template')} of a [PodTemplate](podtemplates.md#defaults).", "")


def _templates(kind: Kind) -> list[str]:
    return [] if kind.struct is PodTemplate else list(defaults.template_paths(kind.struct))


def _beside_templates(kind: Kind, added: Added, facts: _Facts) -> Added:
    """Without what every template is given, which a PodTemplate's page says."""
    example = next(facts.defaults[each] for each in facts.defaults if each.struct is PodTemplate)
    known = {**example.always, **example.when_given}
    prefixes = _templates(kind)

    def is_known(path: str) -> bool:
        return any(known.get(f"template{path.removeprefix(prefix)}", path) == added[path] for prefix in prefixes)

    return {path: value for path, value in added.items() if not is_known(path)}


def _value(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _rules(kind: Kind, facts: _Facts) -> Iterator[str]:
    yield from ("Those of all [metadata](types-meta.md#objectmeta).", "")
    if kind.stored_as:
        yield from (
            f"Those of [{kind.storage.api_version}]({file_name(kind.storage)}#rules), which is what is stored.",
            "",
        )
        return
    if any(each.stored_as and each.storage is kind for each in kinds.ALL):
        yield from (
            "The kind is served in several versions. A rule that holds in one alone has a test that says so.",
            "",
        )
    yield from _rule_table(_rules_of(kind, facts))
    for path in _templates(kind):
        yield f"In {code(path)}, those of [templates](types-core.md#podtemplatespec)."


def _rules_of(kind: Kind, facts: _Facts) -> list[Rule]:
    """Strategies see the stored form, so rules are about that. What holds for all metadata is not repeated."""
    everywhere = {rule.key for rule in facts.rules.get(ObjectMeta, ())}
    return [rule for rule in facts.rules.get(kind.storage.struct, ()) if rule.key not in everywhere]


def _rule_table(rules: Iterable[Rule]) -> list[str]:
    shown = ((code(rule.path) if rule.path else "", code(rule.message), code(rule.test)) for rule in rules)
    return markdown.table(("field", "complaint", "test"), shown)


def _types(module: str, facts: _Facts) -> Iterator[str]:
    yield from (_GENERATED, f"# Types of {code(module)} that several fields have", "")
    yield from ("All kinds: [index](../kinds.md)", "")
    for struct in sorted(facts.apart, key=lambda struct: struct.__name__):
        if _module(struct) != module:
            continue
        yield from (f"## {struct.__name__}", "", _summary(struct), "")
        yield from _fields(struct, facts)
        yield from _type_rules(struct, facts)


def _type_rules(struct: type[Part], facts: _Facts) -> Iterator[str]:
    rules = list(facts.rules.get(struct, ()))
    if not rules:
        return
    yield from ("**Rules**", "")
    if struct is PodTemplateSpec:
        of_pods = {(f"template.{rule.path}", rule.essence) for rule in facts.rules.get(Pod, ())}
        own = [rule for rule in rules if rule.key not in of_pods]
        shared = len(rules) - len(own)
        yield from (f"{shared} [rules of Pods](pods.md#rules), broken by the same tests in a template, and these:", "")
        rules = own
    yield from _rule_table(rules)
