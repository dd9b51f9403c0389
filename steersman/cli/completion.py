"""`steer completion`: the script that lets a shell complete verbs, flags and kinds."""

from __future__ import annotations

import click
from click import shell_completion

VARIABLE = "_STEER_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that lets a shell complete steer's verbs, flags and kinds.

    \b
    bash:  source <(steer completion bash)
    zsh:   source <(steer completion zsh)
    fish:  steer completion fish | source
    """
    found = shell_completion.get_completion_class(shell)
    assert found is not None, "the choices are those that click knows"
    click.echo(found(context.find_root().command, {}, "steer", VARIABLE).source())
