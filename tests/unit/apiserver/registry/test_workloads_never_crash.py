"""Whatever is sent: defaulting settles in one go, and rules complain instead of crashing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apiserver.registry.patching import mergepatch
from steersman.api import codec
from steersman.api.errors import Cause
from tests.unit.api.test_round_trips import documents
from tests.unit.apiserver.registry import (
    test_controllerrevision,
    test_cronjob,
    test_daemonset,
    test_deployment,
    test_horizontalpodautoscaler,
    test_job,
    test_poddisruptionbudget,
    test_podtemplate,
    test_priorityclass,
    test_replicaset,
    test_replicationcontroller,
    test_runtimeclass,
    test_statefulset,
)
from tests.unit.apiserver.registry.pods import decode
from tests.unit.apiserver.registry.tables import Subject

SUBJECTS = [
    test_controllerrevision.SUBJECT,
    test_cronjob.SUBJECT,
    test_daemonset.SUBJECT,
    test_deployment.SUBJECT,
    test_horizontalpodautoscaler.SUBJECT,
    test_job.SUBJECT,
    test_poddisruptionbudget.SUBJECT,
    test_podtemplate.SUBJECT,
    test_priorityclass.SUBJECT,
    test_replicaset.SUBJECT,
    test_replicationcontroller.SUBJECT,
    test_runtimeclass.SUBJECT,
    test_statefulset.SUBJECT,
]


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.struct.__name__)
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_is_sent(subject: Subject, data: st.DataObject) -> None:
    strategy = subject.strategy
    old, new = _draw(subject, data), _draw(subject, data)
    assert strategy.default(new) == new
    assert codec.load(subject.struct, codec.encode(new)) == new
    step = strategy.prepare_update(new, old)
    found = [*strategy.validate(new), *strategy.validate_create(new), *strategy.validate_update(step, old)]
    assert all(isinstance(cause, Cause) for cause in found)
    assert not strategy.validate_update(strategy.prepare_update(old, old), old)


def _draw(subject: Subject, data: st.DataObject) -> Any:
    """An object out of nowhere, or a valid one with something out of nowhere in it."""
    drawn = data.draw(documents(subject.struct))
    whole = mergepatch.apply(subject.manifest, drawn) if data.draw(st.booleans()) else drawn
    return subject.strategy.default(decode(subject.struct, whole))
