"""Names that the server makes: `generateName` plus five random characters."""

from __future__ import annotations

from random import Random

ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""No vowels and no look-alikes, so that no word comes about by chance."""

SUFFIX_LENGTH = 5
MAX_BASE_LENGTH = 58
ATTEMPTS = 8


def generate(base: str, random: Random) -> str:
    return base[:MAX_BASE_LENGTH] + "".join(random.choices(ALPHABET, k=SUFFIX_LENGTH))
