"""Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs, CronJobs, disruption budgets and autoscalers."""

from __future__ import annotations

from collections.abc import Mapping

from steersman.api import apps, autoscaling, batch, core, scheduling
from steersman.api.descriptions.meta import CONDITION
from steersman.api.part import Part
from steersman.api.policy import Eviction, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus

_SELECTOR = "The pods that belong to it, by their labels. It cannot be changed."
_TEMPLATE = "What its pods look like."
_READY_SECONDS = "How long a new pod must be ready before it counts as available."
_HISTORY = "How many old revisions are kept to go back to."
_SEEN = "The generation that was last acted on."
_COLLISIONS = "How often the name of a new revision was taken; it is part of the name."
_CONDITIONS = "What is observed about it."

_APPS: Mapping[type[Part], Mapping[str, str]] = {
    apps.DeploymentSpec: {
        "replicas": "How many pods are wanted; 1 if nothing is said.",
        "selector": _SELECTOR,
        "template": _TEMPLATE,
        "strategy": "How old pods are replaced by new ones.",
        "minReadySeconds": _READY_SECONDS,
        "revisionHistoryLimit": "How many old ReplicaSets are kept to go back to; 10 if nothing is said.",
        "paused": "While it is true, changes of the template wait.",
        "progressDeadlineSeconds": "How long a rollout may stand still before it is called failed; 600 by default.",
    },
    apps.DeploymentStrategy: {
        "type": "RollingUpdate replaces pods step by step, Recreate removes the old ones first.",
        "rollingUpdate": "The steps of a rolling update.",
    },
    apps.RollingUpdateDeployment: {
        "maxUnavailable": "How many of the wanted pods may be missing meanwhile: a number, or a share such as 25%.",
        "maxSurge": "How many more pods than wanted there may be meanwhile: a number, or a share such as 25%.",
    },
    apps.DeploymentStatus: {
        "observedGeneration": _SEEN,
        "replicas": "How many pods there are.",
        "updatedReplicas": "How many of them are of the present template.",
        "readyReplicas": "How many of them are ready.",
        "availableReplicas": "How many of them have been ready for long enough.",
        "unavailableReplicas": "How many are still missing for all to be available.",
        "terminatingReplicas": "How many are about to end.",
        "conditions": _CONDITIONS,
        "collisionCount": _COLLISIONS,
    },
    apps.DeploymentCondition: CONDITION,
    apps.ReplicaSetSpec: {
        "replicas": "How many pods are wanted; 1 if nothing is said.",
        "minReadySeconds": _READY_SECONDS,
        "selector": _SELECTOR,
        "template": _TEMPLATE,
    },
    apps.ReplicaSetStatus: {
        "replicas": "How many pods there are.",
        "fullyLabeledReplicas": "How many of them have all labels of the template.",
        "readyReplicas": "How many of them are ready.",
        "availableReplicas": "How many of them have been ready for long enough.",
        "terminatingReplicas": "How many are about to end.",
        "observedGeneration": _SEEN,
        "conditions": _CONDITIONS,
    },
    apps.ReplicaSetCondition: CONDITION,
    core.ReplicationControllerSpec: {
        "replicas": "How many pods are wanted; 1 if nothing is said.",
        "minReadySeconds": _READY_SECONDS,
        "selector": "The pods that belong to it, by their labels; those of the template if nothing is said.",
        "template": _TEMPLATE,
    },
    core.ReplicationControllerStatus: {
        "replicas": "How many pods there are.",
        "fullyLabeledReplicas": "How many of them have all labels of the template.",
        "readyReplicas": "How many of them are ready.",
        "availableReplicas": "How many of them have been ready for long enough.",
        "observedGeneration": _SEEN,
        "conditions": _CONDITIONS,
    },
    core.ReplicationControllerCondition: CONDITION,
    apps.StatefulSetSpec: {
        "replicas": "How many pods are wanted; 1 if nothing is said.",
        "selector": _SELECTOR,
        "template": "What its pods look like; each is named after the set and its number.",
        "volumeClaimTemplates": "Claims of which each pod gets its own, and keeps it.",
        "serviceName": "The service that gives the pods their names in DNS; it must exist before.",
        "podManagementPolicy": "Whether pods start and stop one by one in order, or all at once.",
        "updateStrategy": "How old pods are replaced by new ones.",
        "revisionHistoryLimit": _HISTORY,
        "minReadySeconds": _READY_SECONDS,
        "persistentVolumeClaimRetentionPolicy": "What becomes of the claims when pods go.",
        "ordinals": "How the pods are numbered.",
    },
    apps.StatefulSetOrdinals: {"start": "The number of the first pod."},
    apps.StatefulSetPersistentVolumeClaimRetentionPolicy: {
        "whenDeleted": "When the set is deleted: Retain or Delete.",
        "whenScaled": "When the set gets smaller: Retain or Delete.",
    },
    apps.StatefulSetUpdateStrategy: {
        "type": "RollingUpdate replaces pods from the last to the first, OnDelete waits until somebody deletes them.",
        "rollingUpdate": "The steps of a rolling update.",
    },
    apps.RollingUpdateStatefulSetStrategy: {
        "partition": "Pods with a lower number keep the old template.",
        "maxUnavailable": "How many pods may be missing meanwhile.",
    },
    apps.StatefulSetStatus: {
        "observedGeneration": _SEEN,
        "replicas": "How many pods there are.",
        "readyReplicas": "How many of them are ready.",
        "currentReplicas": "How many are of the current revision.",
        "updatedReplicas": "How many are of the revision to come.",
        "currentRevision": "The revision of the pods that are not updated yet.",
        "updateRevision": "The revision of the updated ones.",
        "collisionCount": _COLLISIONS,
        "conditions": _CONDITIONS,
        "availableReplicas": "How many have been ready for long enough.",
    },
    apps.StatefulSetCondition: CONDITION,
    apps.DaemonSetSpec: {
        "selector": _SELECTOR,
        "template": "What its pods look like; one runs on every node that fits.",
        "updateStrategy": "How old pods are replaced by new ones.",
        "minReadySeconds": _READY_SECONDS,
        "revisionHistoryLimit": _HISTORY,
    },
    apps.DaemonSetUpdateStrategy: {
        "type": "RollingUpdate replaces pods node by node, OnDelete waits until somebody deletes them.",
        "rollingUpdate": "The steps of a rolling update.",
    },
    apps.RollingUpdateDaemonSet: {
        "maxUnavailable": "On how many nodes the pod may be missing meanwhile: a number, or a share such as 10%.",
        "maxSurge": "On how many nodes there may be two pods meanwhile: a number, or a share such as 10%.",
    },
    apps.DaemonSetStatus: {
        "currentNumberScheduled": "How many nodes run the pod and should.",
        "numberMisscheduled": "How many nodes run the pod and should not.",
        "desiredNumberScheduled": "How many nodes should run the pod.",
        "numberReady": "How many nodes have a pod that is ready.",
        "observedGeneration": _SEEN,
        "updatedNumberScheduled": "How many nodes run a pod of the present template.",
        "numberAvailable": "How many nodes have a pod that has been ready for long enough.",
        "numberUnavailable": "How many nodes have none such.",
        "collisionCount": _COLLISIONS,
        "conditions": _CONDITIONS,
    },
    apps.DaemonSetCondition: CONDITION,
    apps.ControllerRevision: {
        "data": "The state that is remembered.",
        "revision": "Its number; the highest is the newest.",
    },
}

_BATCH: Mapping[type[Part], Mapping[str, str]] = {
    batch.JobSpec: {
        "parallelism": "How many pods may run at a time.",
        "completions": "How many pods must succeed.",
        "activeDeadlineSeconds": "How long the job may take before it is made to fail.",
        "podFailurePolicy": "What different failures of pods mean.",
        "successPolicy": "When the job counts as done although not all indexes have succeeded.",
        "backoffLimit": "How many failures there may be before the job fails; 6 if nothing is said.",
        "backoffLimitPerIndex": "How many failures each index may have.",
        "maxFailedIndexes": "How many indexes may fail before the job does.",
        "selector": "The pods that belong to it; mostly left to the server.",
        "manualSelector": "Whether the selector is one's own, and labels are not made by the server.",
        "template": "What its pods look like; they must not restart always.",
        "ttlSecondsAfterFinished": "How long after its end the job is deleted; never if nothing is said.",
        "completionMode": "Whether all completions are alike, or each has an index of its own.",
        "suspend": "While it is true no pods run.",
        "podReplacementPolicy": "Whether a pod is replaced when it begins to end, or when it has failed.",
        "managedBy": "The controller that looks after the job, if another than the usual one.",
        "scheduling": "How the pods are placed together.",
    },
    batch.JobSchedulingConfiguration: {
        "schedulingPolicy": "Whether the pods are placed one by one or all at once.",
        "schedulingConstraints": "Where they must be in relation to each other.",
        "disruptionMode": "Whether they are made to go one by one or all at once.",
        "resourceClaims": "Claims for devices that they share.",
    },
    scheduling.WorkloadPodGroupSchedulingPolicy: {"basic": "One by one.", "gang": "All at once."},
    scheduling.WorkloadPodGroupGangSchedulingPolicy: {"minCount": "How many pods must fit at once."},
    scheduling.WorkloadPodGroupSchedulingConstraints: {"topology": "Places that they must share."},
    scheduling.TopologyConstraint: {"key": "The label of nodes whose equal values mean the same place."},
    scheduling.WorkloadPodGroupDisruptionMode: {"all": "All at once.", "single": "One by one."},
    scheduling.WorkloadPodGroupResourceClaim: {
        "name": "The name by which pods refer to it.",
        "resourceClaimName": "An existing claim.",
        "resourceClaimTemplateName": "A template from which a claim is made.",
    },
    batch.PodFailurePolicy: {"rules": "The rules; the first that fits counts."},
    batch.PodFailurePolicyRule: {
        "action": "What becomes of the job.",
        "onExitCodes": "For which exit codes.",
        "onPodConditions": "For which conditions of the pod.",
    },
    batch.PodFailurePolicyOnExitCodesRequirement: {
        "containerName": "The container; any if nothing is said.",
        "operator": "In or NotIn.",
        "values": "The exit codes.",
    },
    batch.PodFailurePolicyOnPodConditionsPattern: {
        "type": "The condition.",
        "status": "Its status; True if nothing is said.",
    },
    batch.SuccessPolicy: {"rules": "Alternatives; one of them must fit."},
    batch.SuccessPolicyRule: {
        "succeededIndexes": "Indexes that must have succeeded, such as 0,2-5.",
        "succeededCount": "How many of them, or of all.",
    },
    batch.JobStatus: {
        "conditions": "Whether it is complete, failed or suspended.",
        "startTime": "When it began.",
        "completionTime": "When it was done; only if it succeeded.",
        "active": "How many pods wait or run.",
        "succeeded": "How many pods have succeeded.",
        "failed": "How many pods have failed.",
        "terminating": "How many pods are about to end.",
        "completedIndexes": "The indexes that have succeeded, such as 0,2-5.",
        "failedIndexes": "The indexes that have failed.",
        "uncountedTerminatedPods": "Pods that have ended and are about to be counted.",
        "ready": "How many pods are ready.",
    },
    batch.UncountedTerminatedPods: {
        "succeeded": "The uids of those that succeeded.",
        "failed": "The uids of those that failed.",
    },
    batch.JobCondition: CONDITION,
    batch.JobTemplateSpec: {
        "metadata": "Labels and annotations of the jobs.",
        "spec": "What the jobs look like.",
    },
    batch.CronJobSpec: {
        "schedule": "When to start a job, as cron writes it.",
        "timeZone": "The time zone of the schedule; that of the controller if nothing is said.",
        "startingDeadlineSeconds": "How late a job may still be started.",
        "concurrencyPolicy": "Whether a job may start while the last one runs, must wait, or replaces it.",
        "suspend": "While it is true no jobs are started.",
        "jobTemplate": "What the jobs look like.",
        "successfulJobsHistoryLimit": "How many jobs that succeeded are kept; 3 if nothing is said.",
        "failedJobsHistoryLimit": "How many jobs that failed are kept; 1 if nothing is said.",
    },
    batch.CronJobStatus: {
        "active": "The jobs that run.",
        "lastScheduleTime": "When a job was last started.",
        "lastSuccessfulTime": "When a job last succeeded.",
    },
}

_BUDGETS: Mapping[type[Part], Mapping[str, str]] = {
    PodDisruptionBudgetSpec: {
        "minAvailable": "How many pods must stay healthy: a number, or a share such as 50%.",
        "selector": "The pods that are protected.",
        "maxUnavailable": "How many pods may be away at a time: a number, or a share such as 50%.",
        "unhealthyPodEvictionPolicy": "Whether pods that are not healthy can always be evicted.",
    },
    PodDisruptionBudgetStatus: {
        "observedGeneration": _SEEN,
        "disruptedPods": "Pods whose eviction was allowed but not seen yet.",
        "disruptionsAllowed": "How many pods may be evicted now.",
        "currentHealthy": "How many pods are healthy.",
        "desiredHealthy": "How many pods must be healthy.",
        "expectedPods": "How many pods there are to count.",
        "conditions": _CONDITIONS,
    },
    Eviction: {"deleteOptions": "How the pod is deleted if that is allowed."},
}

_TARGET = {
    "kind": "The kind of the object.",
    "name": "The name of the object.",
    "apiVersion": "The group and version of the object.",
}
_BOUNDS = {
    "scaleTargetRef": "What is scaled.",
    "minReplicas": "The fewest pods; 1 if nothing is said.",
    "maxReplicas": "The most pods.",
}
_SCALED = {
    "observedGeneration": _SEEN,
    "lastScaleTime": "When the number of pods was last changed.",
    "currentReplicas": "How many pods there were when last looked at.",
    "desiredReplicas": "How many pods were found to be needed.",
}
_METRICS = {
    "type": "Which of the others it is.",
    "object": "A metric of one object.",
    "pods": "A metric of each pod, averaged.",
    "resource": "CPU or memory of the pods.",
    "containerResource": "CPU or memory of one container in each pod.",
    "external": "A metric from outside the cluster.",
}
_VALUES = {
    "value": "The value as a whole.",
    "averageValue": "The average over the pods.",
    "averageUtilization": "The average over the pods, in percent of their requests.",
}

_AUTOSCALING: Mapping[type[Part], Mapping[str, str]] = {
    autoscaling.HorizontalPodAutoscalerSpec: {
        **_BOUNDS,
        "metrics": "What decides; the metric that asks for the most pods counts.",
        "behavior": "How fast the number may change.",
    },
    autoscaling.HorizontalPodAutoscalerStatus: {
        **_SCALED,
        "currentMetrics": "The metrics as last read.",
        "conditions": _CONDITIONS,
    },
    autoscaling.HorizontalPodAutoscalerCondition: CONDITION,
    autoscaling.HorizontalPodAutoscalerSpecV1: {
        **_BOUNDS,
        "targetCPUUtilizationPercentage": "The CPU use to aim for, in percent of the requests.",
    },
    autoscaling.HorizontalPodAutoscalerStatusV1: {
        **_SCALED,
        "currentCPUUtilizationPercentage": "The CPU use of the pods, in percent of the requests.",
    },
    autoscaling.HorizontalPodAutoscalerBehavior: {
        "scaleUp": "How fast pods may be added.",
        "scaleDown": "How fast pods may be removed.",
    },
    autoscaling.HPAScalingRules: {
        "stabilizationWindowSeconds": "How far back earlier findings are considered.",
        "selectPolicy": "Which policy counts: Max, Min or Disabled.",
        "policies": "The policies.",
        "tolerance": "How far a metric may be off before anything is done.",
    },
    autoscaling.HPAScalingPolicy: {
        "type": "Whether value is a number of Pods or a Percent.",
        "value": "How much may change.",
        "periodSeconds": "In how long.",
    },
    autoscaling.CrossVersionObjectReference: _TARGET,
    autoscaling.CrossVersionObjectReferenceV1: _TARGET,
    autoscaling.MetricSpec: _METRICS,
    autoscaling.MetricStatus: _METRICS,
    autoscaling.MetricTarget: {**_VALUES, "type": "Which of the others is meant."},
    autoscaling.MetricValueStatus: _VALUES,
    autoscaling.MetricIdentifier: {"name": "The metric's name.", "selector": "Labels of the metric."},
    autoscaling.ResourceMetricSource: {"name": "The resource.", "target": "What to aim for."},
    autoscaling.ContainerResourceMetricSource: {
        "name": "The resource.",
        "target": "What to aim for.",
        "container": "The container.",
    },
    autoscaling.PodsMetricSource: {"metric": "The metric.", "target": "What to aim for."},
    autoscaling.ExternalMetricSource: {"metric": "The metric.", "target": "What to aim for."},
    autoscaling.ObjectMetricSource: {
        "describedObject": "The object.",
        "target": "What to aim for.",
        "metric": "The metric.",
    },
    autoscaling.ResourceMetricStatus: {"name": "The resource.", "current": "Its present value."},
    autoscaling.ContainerResourceMetricStatus: {
        "name": "The resource.",
        "current": "Its present value.",
        "container": "The container.",
    },
    autoscaling.PodsMetricStatus: {"metric": "The metric.", "current": "Its present value."},
    autoscaling.ExternalMetricStatus: {"metric": "The metric.", "current": "Its present value."},
    autoscaling.ObjectMetricStatus: {
        "metric": "The metric.",
        "current": "Its present value.",
        "describedObject": "The object.",
    },
    autoscaling.ScaleSpec: {"replicas": "How many pods are wanted."},
    autoscaling.ScaleStatus: {
        "replicas": "How many pods there are.",
        "selector": "The pods, as a label selector in one text.",
    },
}

DESCRIPTIONS: Mapping[type[Part], Mapping[str, str]] = {**_APPS, **_BATCH, **_BUDGETS, **_AUTOSCALING}
