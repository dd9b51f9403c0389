"""The environment in which every expression of Kubernetes stands: CEL's own functions, and the extensions."""

from __future__ import annotations

from typing import Final

from steersman.cel import environment
from steersman.cel.environment import Environment
from steersman.cel.library.arithmetic import ARITHMETIC
from steersman.cel.library.authorization import AUTHORIZATION
from steersman.cel.library.collections import COLLECTIONS
from steersman.cel.library.conversions import CONVERSIONS
from steersman.cel.library.network import NETWORK
from steersman.cel.library.quantities import QUANTITIES
from steersman.cel.library.regexes import REGEXES
from steersman.cel.library.texts import TEXTS
from steersman.cel.library.timekeeping import TIMEKEEPING

ENVIRONMENT: Final = Environment(
    environment.gathered(
        (ARITHMETIC, CONVERSIONS, TIMEKEEPING, REGEXES, TEXTS, COLLECTIONS, NETWORK, QUANTITIES, AUTHORIZATION)
    )
)
