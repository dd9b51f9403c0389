"""Certificates in a server that runs for years: renewed on disk and taken into use without a restart."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from apiserver.auth.certificates import BrokenPki, Pki
from steersman.base import log
from steersman.base.clock import Clock

_log = log.get(__name__)

# Renewal begins a month before the end, so a try each hour leaves ample room for a full disk to be noticed.
CHECK_EVERY_SECONDS = 3600.0


async def keep_renewed(
    pki: Pki, clock: Clock, renew: Callable[[datetime], Pki], take_into_use: Callable[[Pki], None]
) -> None:
    """For ever: once `pki` is due, `renew` it (`certificates.ensure` with its arguments) and hand the result over.

    `take_into_use` reloads the TLS contexts; connections that are open stay as they are.
    """
    while True:
        await clock.sleep(CHECK_EVERY_SECONDS)
        if clock.now() < pki.renew_at:
            continue
        try:
            pki = renew(clock.now())
        except (OSError, BrokenPki) as error:
            _log.warning("certificates not renewed", error=str(error), due_since=pki.renew_at.isoformat())
            continue
        take_into_use(pki)
        _log.info("certificates renewed", next_renewal=pki.renew_at.isoformat())
