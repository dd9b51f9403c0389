"""`steersman-apiserver`: read the settings, serve until asked to stop."""

from __future__ import annotations

import sys

from apiserver import server
from apiserver.config import Settings
from steersman.base import config, log, run, tracing
from steersman.base.run import Stopping
from steersman.version import VERSION


def main() -> None:
    settings = config.load(
        Settings,
        program="steersman-apiserver",
        version=VERSION,
        about="The API server: the only process that touches the store.",
    )
    log.configure(settings.log_level, settings.log_style)
    tracing.configure("steersman-apiserver", settings.otlp_endpoint, settings.trace_sample_ratio)

    async def serve(stopping: Stopping) -> None:
        async with server.serving(settings):
            await stopping.wait()

    sys.exit(run.run(serve))


if __name__ == "__main__":
    main()
