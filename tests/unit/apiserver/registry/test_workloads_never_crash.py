"""Whatever is sent: defaulting settles in one go, and rules complain instead of crashing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apiserver.registry.controllerrevision import CONTROLLERREVISION
from apiserver.registry.cronjob import CRONJOB
from apiserver.registry.daemonset import DAEMONSET
from apiserver.registry.deployment import DEPLOYMENT
from apiserver.registry.horizontalpodautoscaler import HORIZONTALPODAUTOSCALER
from apiserver.registry.job import JOB
from apiserver.registry.poddisruptionbudget import PODDISRUPTIONBUDGET
from apiserver.registry.podtemplate import PODTEMPLATE
from apiserver.registry.priorityclass import PRIORITYCLASS
from apiserver.registry.replicaset import REPLICASET
from apiserver.registry.replicationcontroller import REPLICATIONCONTROLLER
from apiserver.registry.runtimeclass import RUNTIMECLASS
from apiserver.registry.statefulset import STATEFULSET
from apiserver.registry.strategy import Strategy
from steersman.api import apps, autoscaling, batch, codec, core, node, policy, scheduling
from steersman.api.errors import Cause
from steersman.api.meta import Object
from tests.unit.api.test_round_trips import documents
from tests.unit.apiserver.registry.pods import decode


@dataclass(frozen=True)
class Subject:
    struct: type[Object]
    strategy: Strategy


SUBJECTS = [
    Subject(apps.ControllerRevision, CONTROLLERREVISION),
    Subject(apps.DaemonSet, DAEMONSET),
    Subject(apps.Deployment, DEPLOYMENT),
    Subject(apps.ReplicaSet, REPLICASET),
    Subject(apps.StatefulSet, STATEFULSET),
    Subject(autoscaling.HorizontalPodAutoscaler, HORIZONTALPODAUTOSCALER),
    Subject(batch.CronJob, CRONJOB),
    Subject(batch.Job, JOB),
    Subject(core.PodTemplate, PODTEMPLATE),
    Subject(core.ReplicationController, REPLICATIONCONTROLLER),
    Subject(node.RuntimeClass, RUNTIMECLASS),
    Subject(policy.PodDisruptionBudget, PODDISRUPTIONBUDGET),
    Subject(scheduling.PriorityClass, PRIORITYCLASS),
]


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.struct.__name__)
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_is_sent(subject: Subject, data: st.DataObject) -> None:
    strategy = subject.strategy
    old, new = (_draw(subject, data) for _ in range(2))
    assert strategy.default(new) == new
    assert codec.load(subject.struct, codec.encode(new)) == new
    step = strategy.prepare_update(new, old)
    found = [*strategy.validate(new), *strategy.validate_create(new), *strategy.validate_update(step, old)]
    assert all(isinstance(cause, Cause) for cause in found)
    assert not strategy.validate_update(strategy.prepare_update(old, old), old)


def _draw(subject: Subject, data: st.DataObject) -> Any:
    return subject.strategy.default(decode(subject.struct, data.draw(documents(subject.struct))))
