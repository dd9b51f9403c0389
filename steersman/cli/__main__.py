"""`steer`, also as `python -m steersman.cli`."""

from __future__ import annotations

from steersman.cli import commands


def main() -> None:
    commands.steer(prog_name="steer")


if __name__ == "__main__":
    main()
