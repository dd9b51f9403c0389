"""PodTemplates: a template on its own, under the same rules as inside a workload."""

from __future__ import annotations

from msgspec.structs import replace

from apiserver.registry.defaults.pod import default_pod_template
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import pod
from apiserver.registry.warnings import workloads as warned
from steersman.api.core import PodTemplate
from steersman.api.errors import Cause
from steersman.api.fields import Path


def default(new: PodTemplate) -> PodTemplate:
    template = default_pod_template(new.template)
    return new if template is new.template else replace(new, template=template)


def validate(new: PodTemplate) -> list[Cause]:
    return pod.validate_pod_template(new.template, Path("template"))


PODTEMPLATE = Strategy(
    default=default,
    validate=validate,
    warn=warned.of_podtemplate,
)
