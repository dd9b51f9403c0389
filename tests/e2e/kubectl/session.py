"""A transcript played against a cluster, in a namespace of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.e2e.kubectl import transcripts
from tests.e2e.kubectl.cluster import WITHIN, Cluster
from tests.e2e.kubectl.shell import Said, Shell
from tests.e2e.kubectl.transcripts import Exchange
from tests.eventually import eventually


async def opened(cluster: Cluster, kubectl: Path, namespace: str) -> Shell:
    """A shell whose kubectl speaks about that namespace, made anew and complete."""
    where = cluster.folder / f"{namespace}-{kubectl.name}"
    where.mkdir()
    kubeconfig = where / "kubeconfig"
    kubeconfig.write_bytes(cluster.kubeconfig.read_bytes())
    shell = Shell.with_kubectl(kubectl, kubeconfig, home=cluster.folder / f"home-{kubectl.name}", where=where)
    said = await shell.run(
        f"kubectl wait namespace/{namespace} --for=delete --timeout={WITHIN:g}s; kubectl create namespace {namespace}"
        f" && kubectl config set-context --current --namespace={namespace}"
    )
    assert said.code == 0, said

    async def has_account() -> bool:
        return (await shell.run("kubectl get serviceaccount/default configmap/kube-root-ca.crt -o name")).code == 0

    await eventually(has_account, within=WITHIN)
    return shell


async def closed(shell: Shell, namespace: str) -> None:
    """What the session made goes away by and by: the next one need not wait for that."""
    await shell.run(f"kubectl delete namespace {namespace} --wait=false")


async def played(shell: Shell, exchange: Exchange) -> str:
    """The answer to a command; of one that is awaited, the right one or the last."""
    if not exchange.is_awaited:
        return transcripts.answer_of(await shell.run(exchange.command))
    said = await settled(shell, exchange.command, lambda said: transcripts.answer_of(said) == exchange.answer)
    return transcripts.answer_of(said)


async def settled(shell: Shell, command: str, is_right: Callable[[Said], bool]) -> Said:
    """The first right answer to a command that is asked again and again; the last one if none is right."""
    said = await shell.run(command)

    async def comes() -> bool:
        nonlocal said
        if not is_right(said):
            said = await shell.run(command)
        return is_right(said)

    with suppress(AssertionError):
        await eventually(comes, within=WITHIN)
    return said
