from __future__ import annotations

import pytest

from steersman.api import kinds, selectable, selectors
from steersman.api.batch import Job, JobStatus
from steersman.api.core import Event, EventSource, Pod, PodSpec, PodStatus
from steersman.api.errors import BadRequest
from steersman.api.kinds import Kind
from steersman.api.meta import LabelSelector, LabelSelectorRequirement, ObjectMeta

LABELS = {"app": "web", "tier": "front", "n": "5", "empty": ""}


def kind_of(resource: str, group: str = "") -> Kind:
    kind = kinds.by_resource(group, resource)
    assert kind is not None
    return kind


PODS = kind_of("pods")


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("", True),
        ("app=web", True),
        ("app==web", True),
        ("app = web , tier=front", True),
        ("app=web,tier=back", False),
        ("app=web,app=api", False),
        ("app=web,app in (web,api)", True),
        ("app!=web", False),
        ("missing!=x", True),
        ("app", True),
        ("missing", False),
        ("!missing", True),
        ("! app", False),
        ("app in (web,api)", True),
        ("app in (api)", False),
        ("missing in (a)", False),
        ("app notin (api, db)", True),
        ("missing notin (a)", True),
        ("empty=", True),
        ("empty in (,a)", True),
        ("empty in ()", True),
        ("n>4", True),
        ("n<5", False),
        ("app>1", False),
        ("in notin (in)", True),
    ],
)
def test_label_selectors(text: str, matches: bool) -> None:
    matcher = selectors.parse_labels(text)
    assert matcher.matches(LABELS) is matches
    assert matcher.predicate()(LABELS) is matches


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("=a", "found '=', expected: !, identifier, or 'end of string'"),
        ("a,", "found '', expected: identifier after ','"),
        ("a,,b", "found ',', expected: identifier after ','"),
        ("a=b=c", "found '=', expected: ',' or 'end of string'"),
        ("!a=b", "found '=', expected: ',' or 'end of string'"),
        ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("!", "unable to parse requirement: found '', expected: identifier"),
        ("a in b", "unable to parse requirement: found 'b' expected: '('"),
        ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"),
        ("a in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier"),
        (
            "a>b",
            "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, "
            "the value must be an integer",
        ),
    ],
)
def test_label_selectors_that_do_not_parse(text: str, why: str) -> None:
    with pytest.raises(BadRequest) as caught:
        selectors.parse_labels(text)
    assert caught.value.message == why


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("a$=b", 'unable to parse requirement: <nil>: Invalid value: "a$": name part must consist of'),
        ("a=b$", 'unable to parse requirement: values[0][a]: Invalid value: "b$": a valid label must be'),
    ],
)
def test_labels_in_selectors_must_be_valid(text: str, start: str) -> None:
    with pytest.raises(BadRequest) as caught:
        selectors.parse_labels(text)
    assert caught.value.message.startswith(start)


def test_a_selector_can_be_written_and_read_again() -> None:
    text = "!f,a=b,c!=d,e in (x,y),g,h notin (i),n>3"
    parsed = selectors.parse_labels(text)
    assert selectors.parse_labels(str(parsed)) == parsed
    assert parsed.exact("a") == "b"
    assert parsed.exact("e") is None


def test_selectors_of_objects() -> None:
    selector = LabelSelector(
        match_labels={"app": "web"},
        match_expressions=(
            LabelSelectorRequirement(key="tier", operator="In", values=("front", "back")),
            LabelSelectorRequirement(key="old", operator="DoesNotExist"),
        ),
    )
    matcher = selectors.of_struct(selector)
    assert matcher is not None
    assert matcher.matches(LABELS)
    assert not matcher.matches({**LABELS, "old": "x"})
    assert selectors.text_of(selector) == "app=web,!old,tier in (back,front)"
    assert selectors.of_struct(None) is None
    assert selectors.of_labels({"app": "web"}).matches(LABELS)
    with pytest.raises(ValueError, match='"Like" is not a valid label selector operator'):
        selectors.of_struct(
            LabelSelector(match_expressions=(LabelSelectorRequirement(key="a", operator="Like"),)),
        )


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("", True),
        ("metadata.name=a", True),
        ("metadata.name==a,metadata.namespace!=other", True),
        ("status.phase!=Running", False),
        ("spec.hostNetwork=false", True),
        ("spec.nodeName=", False),
        ("spec.host=n,spec.host!=m", True),
        ("status.podIPs=1.2.3.4", False),
    ],
)
def test_field_selectors(text: str, matches: bool) -> None:
    pod = Pod(
        metadata=ObjectMeta(name="a", namespace="ns"), spec=PodSpec(node_name="n"), status=PodStatus(phase="Running")
    )
    assert selectors.parse_fields(text, PODS).matches(selectable.field_values(PODS, pod)) is matches


def test_a_field_may_be_called_differently_from_where_it_is() -> None:
    jobs = kind_of("jobs", "batch")
    wanted = selectors.parse_fields("status.successful=0", jobs)
    assert wanted.matches(selectable.field_values(jobs, Job()))
    assert not wanted.matches(selectable.field_values(jobs, Job(status=JobStatus(succeeded=1))))
    events = kind_of("events", "events.k8s.io")
    assert selectors.parse_fields("regarding.name=a", events).matches({"involvedObject.name": "a"})


@pytest.mark.parametrize(
    ("source", "reporter", "matches"),
    [("kubelet", "", True), ("", "kubelet", True), ("scheduler", "kubelet", False), ("", "", False)],
)
def test_the_source_of_an_event_is_whoever_reports_it(source: str, reporter: str, matches: bool) -> None:
    events = kind_of("events")
    event = Event(source=EventSource(component=source), reporting_component=reporter)
    values = selectable.field_values(events, event)
    assert selectors.parse_fields("source=kubelet", events).matches(values) is matches


def test_what_a_field_must_be() -> None:
    parsed = selectors.parse_fields(r"spec.nodeName=n\,1,status.phase!=Failed", PODS)
    assert parsed.exact("spec.nodeName") == "n,1"
    assert parsed.exact("status.phase") is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("spec.foo=1", "field label not supported: spec.foo"),
        ("abc", "invalid selector: 'abc'; can't understand 'abc'"),
        ("metadata.name=a=b", "invalid field selector: unescaped character in value: 61"),
        (r"metadata.name=a\x", r"invalid field selector: invalid escape sequence: \x"),
        ("metadata.name=a\\", "invalid field selector: invalid escape sequence: \\"),
    ],
)
def test_field_selectors_that_do_not_parse(text: str, why: str) -> None:
    with pytest.raises(BadRequest) as caught:
        selectors.parse_fields(text, PODS)
    assert caught.value.message == why


def test_kinds_without_fields_of_their_own_say_what_they_know() -> None:
    with pytest.raises(BadRequest) as caught:
        selectors.parse_fields("data.a=1", kind_of("configmaps"))
    known = 'only "metadata.name", "metadata.namespace"'
    assert caught.value.message == f'"data.a" is not a known field selector: {known}'


def test_every_selectable_path_exists() -> None:
    for resource, paths in selectors.SELECTABLE_FIELDS.items():
        name, _, group = resource.partition(".")
        kind = kind_of("events") if name == "events" else kind_of(name, group)
        assert all(selectable.field_values(kind, kind.struct()).get(path) is not None for path in paths)
