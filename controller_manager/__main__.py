"""`steersman-controller-manager`: read the settings, stand for election and lead until asked to stop."""

from __future__ import annotations

import sys

from controller_manager import catalog, replica
from controller_manager.config import Settings
from steersman.base import config, log, run, tracing
from steersman.base.run import Stopping
from steersman.version import VERSION

PROGRAM = "steersman-controller-manager"


def main() -> None:
    settings = config.load(
        Settings, program=PROGRAM, version=VERSION, about="Controllers and scheduler; of several replicas one leads."
    )
    try:
        catalog.chosen(settings.controllers)
    except ValueError as error:
        sys.stderr.write(f"{PROGRAM}: --controllers: {error}\n")
        sys.exit(config.EXIT_USAGE)
    log.configure(settings.log_level, settings.log_style)
    tracing.configure(PROGRAM, settings.otlp_endpoint, settings.trace_sample_ratio)

    async def stand(stopping: Stopping) -> None:
        await replica.run(settings, stopping)

    sys.exit(run.run(stand))


if __name__ == "__main__":
    main()
