"""ConfigMaps, which are shown, and Secrets, of which only the sizes are. Pure."""

from __future__ import annotations

from steersman.api.core import ConfigMap, Secret
from steersman.cli.pages.around import Around
from steersman.cli.pages.page import Page


def of_configmap(configmap: ConfigMap, _: Around) -> Page:
    page = _begun(configmap)
    page.line("\nData\n====")
    for key, text in sorted(configmap.data.items()):
        page.line(f"{key}:\n----\n{text}\n")
    page.line("\nBinaryData\n====")
    for key, content in sorted(configmap.binary_data.items()):
        page.line(f"{key}: {len(content)} bytes")
    page.line("")
    return page


def of_secret(secret: Secret, _: Around) -> Page:
    page = _begun(secret)
    page.line("")
    page.pair("Type", secret.type)
    page.line("\nData\n====")
    for key, value in sorted(secret.data.items()):
        page.pair(key, f"{len(value)} bytes")
    return page


def _begun(value: ConfigMap | Secret) -> Page:
    page = Page()
    page.pair("Name", value.metadata.name)
    page.pair("Namespace", value.metadata.namespace)
    page.labels("Labels", value.metadata.labels)
    page.annotations("Annotations", value.metadata.annotations)
    return page
