"""Metadata, selectors, conditions, references, and the bodies of calls."""

from __future__ import annotations

from collections.abc import Mapping

from steersman.api import core
from steersman.api.meta import (
    Condition,
    DeleteOptions,
    FieldSelectorRequirement,
    LabelSelector,
    LabelSelectorRequirement,
    ListMeta,
    ManagedFieldsEntry,
    ObjectMeta,
    OwnerReference,
    Preconditions,
    ShardInfo,
    Status,
    StatusCause,
    StatusDetails,
)
from steersman.api.part import Part

API_VERSION = "The group and version in which the object is written down."
KIND = "The type of the object."

CONDITION: Mapping[str, str] = {
    "type": "What is observed.",
    "status": "Whether it is so: True, False or Unknown.",
    "observedGeneration": "The generation of the object that was looked at.",
    "lastProbeTime": "When it was last looked at.",
    "lastUpdateTime": "When anything about the condition was last written.",
    "lastTransitionTime": "When the status last changed.",
    "reason": "Why, in one word for programs.",
    "message": "Why, in a sentence for people.",
}
"""What all conditions are made of; each kind takes the fields that it has."""

_REQUIREMENT = {
    "key": "The label's key.",
    "operator": "How the label relates to the values: In, NotIn, Exists or DoesNotExist.",
    "values": "The values to compare with; empty for Exists and DoesNotExist.",
}

DESCRIPTIONS: Mapping[type[Part], Mapping[str, str]] = {
    ObjectMeta: {
        "name": "The object's name, unique among its kind in the namespace. It cannot be changed.",
        "generateName": "The beginning of a name; the server adds a random ending when no name is given.",
        "namespace": "The namespace that the object lives in; empty for kinds that belong to the whole cluster.",
        "selfLink": "No longer set by servers.",
        "uid": "Told apart by this from every other object, also from an earlier one of the same name.",
        "resourceVersion": "The revision that last wrote the object. Send it back to change only what you have read.",
        "generation": "Counts the changes of what is asked for.",
        "creationTimestamp": "When the server created the object.",
        "deletionTimestamp": "Set when deletion was asked for; the object goes when its finalizers have gone.",
        "deletionGracePeriodSeconds": "How long the object may take to end, once deletion was asked for.",
        "labels": "Keys and values by which objects are found and grouped.",
        "annotations": "Keys and values that tools keep on the object; they are not searched.",
        "ownerReferences": "The objects that this one belongs to; it goes when all of them have gone.",
        "finalizers": "Who still has something to clean up before the object may go.",
        "managedFields": "Which manager has set which fields; kept by the server.",
    },
    OwnerReference: {
        "apiVersion": "The owner's group and version.",
        "kind": "The owner's kind.",
        "name": "The owner's name.",
        "uid": "The owner's uid, so that a namesake is not taken for it.",
        "controller": "Whether this owner is the one that controls the object.",
        "blockOwnerDeletion": "Whether a foreground deletion of the owner waits for this object.",
    },
    ManagedFieldsEntry: {
        "manager": "The name that the manager gave itself.",
        "operation": "How the fields were set: Apply or Update.",
        "apiVersion": "The version in which the fields are named.",
        "time": "When the manager last changed one of them.",
        "fieldsType": "The form of fieldsV1; there is only FieldsV1.",
        "fieldsV1": "The set of fields.",
        "subresource": "The subresource through which they were set.",
    },
    LabelSelectorRequirement: _REQUIREMENT,
    LabelSelector: {
        "matchLabels": "Labels that must have exactly these values.",
        "matchExpressions": "Further demands on labels; all of them must hold.",
    },
    FieldSelectorRequirement: {**_REQUIREMENT, "key": "The field's path."},
    Condition: CONDITION,
    ShardInfo: {"selector": "The selector of the share."},
    ListMeta: {
        "selfLink": "No longer set by servers.",
        "resourceVersion": "The revision that the list shows; a watch can begin here.",
        "continue": "Set when there is more: ask again with this to get the next page.",
        "remainingItemCount": "How many more objects there are behind this page, if the server knows.",
        "shardInfo": "Which share of the objects the list covers.",
    },
    StatusCause: {
        "reason": "What is wrong, in one word for programs.",
        "message": "What is wrong, in a sentence for people.",
        "field": "The field that is to blame.",
    },
    StatusDetails: {
        "name": "The name of the object.",
        "group": "The group of the resource.",
        "kind": "The resource, or the kind.",
        "uid": "The uid of the object.",
        "causes": "Everything that is wrong, one by one.",
        "retryAfterSeconds": "When it is worth trying again.",
    },
    Status: {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": "What a list would say about itself.",
        "status": "Success or Failure.",
        "message": "What happened, for people.",
        "reason": "Why it failed, in one word for programs.",
        "details": "What it is about.",
        "code": "The HTTP code of the answer.",
    },
    Preconditions: {
        "uid": "Only the object with this uid is meant.",
        "resourceVersion": "Only the object in this revision is meant.",
    },
    DeleteOptions: {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "gracePeriodSeconds": "How long the object may take to end; 0 is at once.",
        "preconditions": "What must be true of the object.",
        "orphanDependents": "The older way to say propagationPolicy: Orphan.",
        "propagationPolicy": "What becomes of dependents: Orphan, Background or Foreground.",
        "dryRun": "All: do everything but keep the result.",
        "ignoreStoreReadErrorWithClusterBreakingPotential": "Delete the object even if it can no longer be read.",
    },
    core.LocalObjectReference: {"name": "The name of the object."},
    core.ObjectReference: {
        "apiVersion": "The object's group and version.",
        "kind": "The object's kind.",
        "namespace": "The object's namespace.",
        "name": "The object's name.",
        "uid": "The object's uid.",
        "resourceVersion": "The revision that is meant.",
        "fieldPath": "The part of the object that is meant, such as spec.containers{web}.",
    },
    core.TypedLocalObjectReference: {
        "apiGroup": "The object's group; empty for the core group.",
        "kind": "The object's kind.",
        "name": "The object's name.",
    },
    core.TypedObjectReference: {
        "apiGroup": "The object's group; empty for the core group.",
        "kind": "The object's kind.",
        "name": "The object's name.",
        "namespace": "The object's namespace, if another than this one's.",
    },
    core.SecretReference: {
        "name": "The name of the Secret.",
        "namespace": "The namespace of the Secret.",
    },
}
