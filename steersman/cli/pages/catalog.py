"""Which kinds have a page of their own. The others are told field by field (`describing.py`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from steersman.api.apps import DaemonSet, Deployment, ReplicaSet, StatefulSet
from steersman.api.batch import Job
from steersman.api.core import ConfigMap, Node, PersistentVolumeClaim, Pod, Secret, Service
from steersman.cli.pages import claims, nodes, pods, services, settings, workloads
from steersman.cli.pages.around import Around
from steersman.cli.pages.page import Page

PAGES: dict[type, Callable[[Any, Around], Page]] = {
    Pod: pods.of_pod,
    Deployment: workloads.of_deployment,
    ReplicaSet: workloads.of_replicaset,
    StatefulSet: workloads.of_statefulset,
    DaemonSet: workloads.of_daemonset,
    Job: workloads.of_job,
    Node: nodes.of_node,
    Service: services.of_service,
    PersistentVolumeClaim: claims.of_claim,
    ConfigMap: settings.of_configmap,
    Secret: settings.of_secret,
}
WITHOUT_EVENTS = frozenset({Secret})
"""Nothing ever happens to these, and kubectl does not say so."""
