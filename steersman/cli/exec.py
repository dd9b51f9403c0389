"""`steer exec`: run a command in a container, with its input, output, terminal and exit code."""

from __future__ import annotations

import sys
from contextlib import AsyncExitStack, nullcontext

import click

from steersman.api.core import Pod
from steersman.cli import arguments, channels, httpfront, podchoice, refusals, session, terminals
from steersman.cli.channels import Ended
from steersman.cli.podchoice import NoSuchContainer
from steersman.cli.session import Session

_COMMAND = "steersman.cli.exec.command"
_OVER = ("Succeeded", "Failed")


class WithCommand(click.Command):
    """Everything behind `--` is the command to run, whatever it looks like."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ours, command = args, list[str]()
        if "--" in args:
            place = args.index("--")
            ours, command = args[:place], args[place + 1 :]
        ctx.meta[_COMMAND] = tuple(command)
        return super().parse_args(ctx, ours)


@click.command("exec", cls=WithCommand)
@click.argument("what", nargs=-1, metavar="POD | TYPE/NAME [flags] -- COMMAND…", shell_complete=arguments.complete)
@session.with_session
@httpfront.option
@click.option("-c", "--container", default="", help="Which container; by default the first.")
@click.option("-i", "--stdin", is_flag=True, help="Pass our input on to it.")
@click.option("-t", "--tty", is_flag=True, help="Our input is a terminal, and so is its.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but what it says.")
@click.pass_context
def run_command(
    context: click.Context,
    session: Session,
    what: tuple[str, ...],
    rest_server: str,
    container: str,
    stdin: bool,  # noqa: FBT001 -- click passes flags so
    tty: bool,  # noqa: FBT001
    quiet: bool,  # noqa: FBT001
) -> None:
    """Run a command in a container. Its exit code is ours.

    \b
    steer exec web -- ls -l /etc
    steer exec -it deploy/web -c main -- sh
    """
    command: tuple[str, ...] = context.meta[_COMMAND]
    if len(what) > 1:
        refusals.fail("error: exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead")
    if not what:
        refusals.fail("error: pod, type/name or --filename must be specified")
    if not command:
        refusals.fail("error: you must specify at least one command for the container")
    at_terminal = stdin and tty and sys.stdin.isatty()
    if stdin and tty and not at_terminal and not quiet:
        refusals.complain("Unable to use a TTY - input is not a terminal or the right kind of file")
    running = _ran(session, rest_server, what[0], container, command, stdin=stdin, tty=at_terminal, quiet=quiet)
    end = refusals.carried_out(running, session.server)
    if end.code is None:
        refusals.fail(f"error: {end.message}")
    if end.code:
        if not quiet:
            refusals.complain(f"command terminated with exit code {end.code}")
        raise click.exceptions.Exit(end.code)


async def _ran(
    session: Session,
    rest_server: str,
    what: str,
    container: str,
    command: tuple[str, ...],
    *,
    stdin: bool,
    tty: bool,
    quiet: bool,
) -> Ended:
    async with session.opened() as api:
        pod = await podchoice.pod(api, what, session.namespace)
    chosen = _container(pod, container, quiet=quiet)
    path = httpfront.of_pod(session.namespace, pod.metadata.name, "exec")
    query = httpfront.query_of(container=chosen, command=command, stdin=stdin, stdout=True, stderr=not tty, tty=tty)
    descriptor = sys.stdin.fileno() if stdin else -1
    async with AsyncExitStack() as stack:
        front = await stack.enter_async_context(httpfront.opened(session, rest_server))
        socket = await stack.enter_async_context(front.socket(path, query, channels.PROTOCOL))
        stack.enter_context(terminals.raw(descriptor) if tty else nullcontext())
        return await channels.converse(
            socket,
            _say,
            terminals.pieces(descriptor) if stdin else None,
            terminals.sizes(descriptor) if tty else None,
        )


def _container(pod: Pod, asked: str, *, quiet: bool) -> str:
    if pod.status.phase in _OVER:
        refusals.fail(f"error: cannot exec into a container in a completed pod; current phase is {pod.status.phase}")
    try:
        chosen, remark = podchoice.container(pod, asked)
    except NoSuchContainer as error:
        refusals.fail(f"error: {error}")
    if remark and not quiet:
        refusals.complain(remark)
    return chosen


def _say(stream: int, data: bytes) -> None:
    output = sys.stdout.buffer if stream == channels.STDOUT else sys.stderr.buffer
    output.write(data)
    output.flush()
