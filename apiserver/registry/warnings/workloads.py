"""Warnings about workloads: about their templates, and about names that end up in the names of pods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from apiserver.registry.requests import Propagation
from apiserver.registry.warnings import amounts, pod
from steersman.api.apps import DaemonSet, StatefulSet
from steersman.api.batch import CronJob, Job, JobSpec
from steersman.api.core import PodTemplate, ReplicationController
from steersman.api.fields import Path

COMPLETIONS_SOFT_LIMIT: Final = 100_000
PARALLELISM_SOFT_LIMIT: Final = 10_000

_TEMPLATE: Final = Path("spec.template")
_CLAIMS: Final = Path("spec.volumeClaimTemplates")
_KEEPS_ALL = "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
_TOO_MANY = (
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, "
    "Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
)
_PODS_STAY = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set "
    "propagationPolicy=Orphan to suppress this warning"
)
_ZONE_INSIDE = (
    "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, "
    "see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
)


def of_replicated(new: Any, old: Any) -> list[str]:
    """Of a Deployment or ReplicaSet. What has been accepted with a warning is not warned of again."""
    if old is None:
        return pod.of_name(new.metadata.name) + pod.of_template(new.spec.template, _TEMPLATE)
    return pod.of_template(new.spec.template, _TEMPLATE) if _is_changed(new, old) else []


def of_replicationcontroller(new: ReplicationController, old: ReplicationController | None) -> list[str]:
    """Kubernetes looks at the former template when one is changed; so do we."""
    if old is None:
        return of_replicated(new, None)
    return pod.of_template(old.spec.template, _TEMPLATE) if _is_changed(new, old) else []


def of_podtemplate(new: PodTemplate, old: PodTemplate | None) -> list[str]:
    return pod.of_template(new.template, Path("template")) if old is None or _is_changed(new, old) else []


def of_daemonset(new: DaemonSet, old: DaemonSet | None) -> list[str]:
    if old is not None and new.spec.template == old.spec.template:
        return []
    return pod.of_template(new.spec.template, _TEMPLATE)


def of_statefulset(new: StatefulSet, old: StatefulSet | None) -> list[str]:
    warnings: list[str] = []
    if old is None or _is_changed(new, old):
        warnings += pod.of_template(new.spec.template, _TEMPLATE)
    for index, claim in enumerate(new.spec.volume_claim_templates):
        here = _CLAIMS.index(index)
        warnings += amounts.of_claim(claim.spec, here if old is None else here.child("Spec"))
    if (new.spec.revision_history_limit or 0) < 0:
        warnings.append(_KEEPS_ALL)
    return warnings


def of_job(new: Job, old: Job | None) -> list[str]:
    if old is None:
        return pod.of_name(new.metadata.name) + _of_job_spec(new.spec, Path("spec"))
    return _of_job_spec(new.spec, Path("spec")) if _is_changed(new, old) else []


def of_job_deletion(propagation: Propagation) -> list[str]:
    return [_PODS_STAY] if propagation is Propagation.UNSAID else []


def of_cronjob(new: CronJob, old: CronJob | None) -> Sequence[str]:
    spec, path = new.spec.job_template.spec, Path("spec.jobTemplate.spec")
    if old is None:
        return pod.of_name(new.metadata.name) + _of_job_spec(spec, path)
    warnings = _of_job_spec(spec, path) if _is_changed(new, old) else []
    return [*warnings, _ZONE_INSIDE] if "TZ" in new.spec.schedule else warnings


def _of_job_spec(spec: JobSpec, path: Path) -> list[str]:
    warnings: list[str] = []
    large = (spec.completions or 0) > COMPLETIONS_SOFT_LIMIT and (spec.parallelism or 0) > PARALLELISM_SOFT_LIMIT
    if spec.completion_mode == "Indexed" and large:
        warnings.append(f"{path}: {_TOO_MANY}")
    return warnings + pod.of_template(spec.template, path.child("template"))


def _is_changed(new: Any, old: Any) -> bool:
    return bool(new.metadata.generation != old.metadata.generation)
