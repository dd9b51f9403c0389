"""`steersman-nodeagent`: read the settings, run the pods of this node until asked to stop. Containers run on."""

from __future__ import annotations

import sys

from nodeagent import process, shutdown
from nodeagent.config import Settings
from steersman.base import config, log, run, tracing
from steersman.base.run import Stopping
from steersman.version import VERSION

PROGRAM = "steersman-nodeagent"


def main() -> None:
    settings = config.load(Settings, program=PROGRAM, version=VERSION, about="Runs the pods that are bound to a node.")
    log.configure(settings.log_level, settings.log_style)
    tracing.configure(PROGRAM, settings.otlp_endpoint, settings.trace_sample_ratio)

    async def serve(stopping: Stopping) -> None:
        await process.run(settings, stopping)

    pods_end_within = settings.shutdown_grace_period + shutdown.LONGEST_SECONDS
    sys.exit(run.run(serve, stop_within_seconds=run.STOP_WITHIN_SECONDS + pods_end_within))


if __name__ == "__main__":
    main()
