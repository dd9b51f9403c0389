"""What a node agent does for a pod is one `sync pod` in the trace of the pod: its starts, then the words on them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from apiserver.server import Serving
from steersman.api.core import Pod
from steersman.base import tracing
from steersman.client.client import Client
from tests.builders import make_pod
from tests.eventually import eventually
from tests.fakes.tracer import FakeSpan, FakeTracer, traced
from tests.integration.test_hollow_agent import WITHIN, hollow_nodes, is_gone, is_ready, reaches

pytestmark = pytest.mark.timeout(180)

FIELDS = {"automountServiceAccountToken": False}


@pytest.fixture
async def tracer(api_server: Serving) -> AsyncIterator[FakeTracer]:
    with traced() as tracer:
        yield tracer


async def create(api: Client, name: str) -> int:
    """A pod on the node; its trace."""
    with tracing.span("apply") as applied:
        await api.raw(Pod).create(make_pod(name, node="hollow-0", spec=FIELDS))
    assert applied.context is not None
    return applied.context.trace_id


class Trace:
    """The spans of one trace, in the order in which they began."""

    def __init__(self, tracer: FakeTracer, trace_id: int) -> None:
        self.spans = [span for span in tracer.spans if span.context.trace_id == trace_id]

    def above(self, span: FakeSpan) -> str:
        return next((each.name for each in self.spans if each.context == span.parent), "")

    def below(self, span: FakeSpan) -> list[str]:
        return [each.name for each in self.spans if each.parent == span.context]

    def named(self, name: str) -> list[FakeSpan]:
        return [span for span in self.spans if span.name == name]


async def test_a_pod_is_synced_in_the_trace_of_its_creation(api: Client, tracer: FakeTracer, tmp_path: Path) -> None:
    async with hollow_nodes(api, tmp_path):
        await eventually(lambda: is_ready(api, "hollow-0"), within=WITHIN)
        trace_id = await create(api, "web")
        await reaches(api, "web", "Running")
        await eventually(lambda: all(each.is_ended for each in Trace(tracer, trace_id).spans), within=WITHIN)
        trace = Trace(tracer, trace_id)
        first = trace.named("sync pod")[0]
        assert trace.above(first) == "create pods"
        below = trace.below(first)
        assert below.index("start sandbox") < below.index("start container")
        assert "report status" in below
        (written,) = [each for each in trace.named("report status") if each.attributes["phase"] == "Running"]
        assert trace.above(written) == "sync pod"
        assert trace.below(written) == ["update_status pods"]
        assert trace.spans.index(trace.named("start container")[0]) < trace.spans.index(written)


async def test_its_end_is_part_of_the_trace_that_deleted_it(api: Client, tracer: FakeTracer, tmp_path: Path) -> None:
    async with hollow_nodes(api, tmp_path):
        await eventually(lambda: is_ready(api, "hollow-0"), within=WITHIN)
        await create(api, "web")
        await reaches(api, "web", "Running")
        with tracing.span("delete") as deleted:
            await api.of(Pod).delete("web", "default")
        assert deleted.context is not None
        await eventually(lambda: is_gone(api, "web"), within=WITHIN)
        trace_id = deleted.context.trace_id
        await eventually(lambda: all(each.is_ended for each in Trace(tracer, trace_id).spans), within=WITHIN)
        trace = Trace(tracer, trace_id)
        (removed,) = trace.named("remove pod")
        assert trace.above(removed) == "sync pod"
        assert trace.below(removed) == ["delete pods"]


async def test_a_look_that_finds_nothing_to_do_is_no_span(api: Client, tracer: FakeTracer, tmp_path: Path) -> None:
    async with hollow_nodes(api, tmp_path):
        await eventually(lambda: is_ready(api, "hollow-0"), within=WITHIN)
        trace_id = await create(api, "web")
        await reaches(api, "web", "Running")
        await eventually(lambda: all(each.is_ended for each in Trace(tracer, trace_id).spans), within=WITHIN)
        with tracing.span("label") as labelled:
            await api.of(Pod).patch("web", "default", b'{"metadata":{"labels":{"seen":"yes"}}}')
        assert labelled.context is not None
        await create(api, "later")
        await reaches(api, "later", "Running")  # so its agent has seen the label before
        names = [span.name for span in Trace(tracer, labelled.context.trace_id).spans]
        assert names[:2] == ["label", "patch pods"]
        assert "sync pod" not in names
