"""Claims for storage. Pure."""

from __future__ import annotations

from steersman.api.core import PersistentVolumeClaim
from steersman.cli import ages
from steersman.cli.pages import page as pages
from steersman.cli.pages.around import Around
from steersman.cli.pages.page import Page

CLASS = "volume.beta.kubernetes.io/storage-class"
_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}


def of_claim(claim: PersistentVolumeClaim, beside: Around) -> Page:
    page, meta, spec, status = Page(), claim.metadata, claim.spec, claim.status
    page.pair("Name", meta.name)
    page.pair("Namespace", meta.namespace)
    page.pair("StorageClass", meta.annotations.get(CLASS) or spec.storage_class_name or "")
    going = meta.deletion_timestamp
    page.pair("Status", f"Terminating (lasts {ages.since(going, beside.now)})" if going else status.phase)
    page.pair("Volume", spec.volume_name)
    page.labels("Labels", meta.labels)
    page.annotations("Annotations", meta.annotations)
    page.pair("Finalizers", f"[{' '.join(meta.finalizers)}]")
    bound = bool(spec.volume_name)
    page.pair("Capacity", status.capacity.get("storage", "0") if bound else "")
    page.pair("Access Modes", modes_text(status.access_modes) if bound else "")
    page.pairs({"VolumeMode": spec.volume_mode})
    if spec.data_source is not None:
        page.line("DataSource:")
        page.pairs({"APIGroup": spec.data_source.api_group}, 1)
        page.pair("Kind", spec.data_source.kind, 1)
        page.pair("Name", spec.data_source.name, 1)
    page.several("Used By", sorted(users(claim, beside)))
    _write_conditions(page, claim)
    return page


def modes_text(modes: tuple[str, ...]) -> str:
    return ",".join(short for mode, short in _MODES.items() if mode in modes)


def users(claim: PersistentVolumeClaim, beside: Around) -> set[str]:
    """Pods that mount it, and those that it was made for."""
    owners = {owner.uid for owner in claim.metadata.owner_references if owner.kind == "Pod"}
    return {
        pod.metadata.name
        for pod in beside.pods
        if pod.metadata.uid in owners
        or any(
            volume.persistent_volume_claim is not None
            and volume.persistent_volume_claim.claim_name == claim.metadata.name
            for volume in pod.spec.volumes
        )
    }


def _write_conditions(page: Page, claim: PersistentVolumeClaim) -> None:
    if not claim.status.conditions:
        return
    page.line("Conditions:")
    page.row(["Type", "Status", "LastProbeTime", "LastTransitionTime", "Reason", "Message"], 1)
    page.row(["----", "------", "-----------------", "------------------", "------", "-------"], 1)
    for each in claim.status.conditions:
        times = pages.when(each.last_probe_time), pages.when(each.last_transition_time)
        page.row([*(f"{cell} " for cell in (each.type, each.status, *times, each.reason)), each.message], 1)
