"""The file that tells kubectl where the cluster is and who is asking. Text only."""

from __future__ import annotations

import base64
import json

CLUSTER = "steersman"


def render(*, server_url: str, authority: bytes, user: str, certificate: bytes, key: bytes) -> str:
    """A kubeconfig with everything inside, so that it can be copied to another machine."""
    context = f"{user}@{CLUSTER}"
    return f"""\
apiVersion: v1
kind: Config
clusters:
- name: {CLUSTER}
  cluster:
    server: {json.dumps(server_url)}
    certificate-authority-data: {_data(authority)}
contexts:
- name: {context}
  context:
    cluster: {CLUSTER}
    user: {user}
current-context: {context}
users:
- name: {user}
  user:
    client-certificate-data: {_data(certificate)}
    client-key-data: {_data(key)}
"""


def _data(pem: bytes) -> str:
    return base64.b64encode(pem).decode("ascii")
