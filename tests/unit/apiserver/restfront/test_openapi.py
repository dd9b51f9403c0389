"""What is described comes from the tables that serve it."""

from __future__ import annotations

import pytest
from aiohttp import web

from apiserver.openapi.served import NOTHING, Body, Subresource
from apiserver.restfront import openapi
from apiserver.restfront.call import Call
from apiserver.restfront.routing import Door, Shown
from steersman.api import kinds
from steersman.api.autoscaling import Scale
from steersman.api.core import Pod
from steersman.api.kinds import Kind


async def nobody(_: Call) -> web.StreamResponse:
    raise AssertionError("nobody is asked")


def kind_of(name: str) -> Kind:
    return next(kind for kind in kinds.ALL if kind.kind == name)


@pytest.mark.parametrize(
    ("kind", "name", "door", "described"),
    [
        pytest.param(
            "Pod",
            "status",
            Door({"patch": nobody, "get": nobody}),
            Subresource("status", ("", "v1", "Pod"), ("get", "patch"), Body(Pod)),
            id="a part of the object",
        ),
        pytest.param(
            "Deployment",
            "scale",
            Door({"get": nobody}, Shown("Scale", "autoscaling", "v1")),
            Subresource("scale", ("autoscaling", "v1", "Scale"), ("get",), Body(Scale)),
            id="another kind",
        ),
        pytest.param(
            "Pod",
            "exec",
            Door({"get": nobody, "create": nobody}, Shown("PodExecOptions"), is_stream=True),
            Subresource("exec", ("", "v1", "PodExecOptions"), connects=("get", "post")),
            id="a stream",
        ),
        pytest.param(
            "Pod",
            "log",
            Door({"get": nobody}, is_stream=True),
            Subresource("log", ("", "v1", "Pod"), ("get",), NOTHING),
            id="a stream that is only read",
        ),
        pytest.param(
            "Node",
            "proxy",
            Door({"get": nobody}, Shown("NodeProxyOptions"), is_stream=True, is_proxy=True),
            Subresource("proxy", ("", "v1", "NodeProxyOptions"), connects=("get", "head", "options"), with_path=True),
            id="a proxy",
        ),
    ],
)
def test_doors(kind: str, name: str, door: Door, described: Subresource) -> None:
    (resource,) = openapi.resources([kind_of(kind)], {name: door})
    assert resource.subresources == (described,)


def test_what_is_not_served_is_not_described() -> None:
    (resource,) = openapi.resources([kind_of("Pod")], {})
    assert resource.subresources == ()
    assert resource.shown_when_deleted
    assert "application/strategic-merge-patch+json" in resource.patch_types
