from __future__ import annotations

import base64

import yaml

from apiserver.auth import kubeconfig


def test_a_kubeconfig_holds_everything_inside() -> None:
    text = kubeconfig.render(
        server_url="https://[::1]:6443", authority=b"ca", user="kubernetes-admin", certificate=b"crt", key=b"key"
    )
    assert yaml.safe_load(text) == {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "kubernetes-admin@steersman",
        "clusters": [
            {
                "name": "steersman",
                "cluster": {
                    "server": "https://[::1]:6443",
                    "certificate-authority-data": base64.b64encode(b"ca").decode(),
                },
            }
        ],
        "contexts": [
            {
                "name": "kubernetes-admin@steersman",
                "context": {"cluster": "steersman", "user": "kubernetes-admin"},
            }
        ],
        "users": [
            {
                "name": "kubernetes-admin",
                "user": {
                    "client-certificate-data": base64.b64encode(b"crt").decode(),
                    "client-key-data": base64.b64encode(b"key").decode(),
                },
            }
        ],
    }
