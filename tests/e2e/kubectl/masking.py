"""What differs from run to run, and means nothing, in one spelling: names made by chance, times, addresses, uids.

Two texts that a user would call the same are equal when masked. Column widths depend on the names in them, so a run of
blanks counts as two. Pure.
"""

from __future__ import annotations

import re

_CHANCE = "[bcdfghjklmnpqrstvwxz2456789]"
"""The letters of which Kubernetes makes names: no vowels, so that no word comes out."""

_MASKS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.MULTILINE), mask)
    for pattern, mask in (
        (r"\x1b\[[\d;]*m", ""),  # colours
        (r"^[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ .*\n", ""),  # the client's own log: what it retried
        (r"^Flag --\S+ has been deprecated.*\n", ""),
        (r"(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])", "UID"),
        (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| \+0000)", "TIME"),
        (r"\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000", "TIME"),
        (r"\bX509SHA256=[0-9a-f]{64}\b", "X509SHA256=HASH"),
        (r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{5})?(?![\d.])", "ADDRESS"),
        (r"ADDRESS(?:,ADDRESS)+", "ADDRESS"),
        (r"(Resource Version: +)\d+", r"\1REVISION"),
        (r":3[0-2]\d{3}/", ":PORT/"),
        (r'(resourceVersion"?: )"\d+"', r'\1"REVISION"'),
        (r"\bv1\.\d+\.\d+(?:\+[-\w.]+)?\b", "VERSION"),
        (rf"-{_CHANCE}{{8,10}}-{_CHANCE}{{5}}\b", "-HASH-CHANCE"),
        (rf"-(?={_CHANCE}*\d){_CHANCE}{{7,10}}\b", "-HASH"),
        (rf"(pod-template-hash[=:] ?){_CHANCE}{{7,10}}\b", r"\1HASH"),
        (rf"-{_CHANCE}{{5}}\b", "-CHANCE"),
        (r"\S*/(?:LIVE|MERGED)-\d+/", "FOLDER/"),
        (r"\beyJhbGciOiJ\w", "TOKEN"),
        (r"\bapiserver-\w{26}(?:_UID)?", "SERVER"),
        (r"(?:\d+d)?(?:\d+h)?(?:\d+m)?\d+(?:\.\d+)?(?:ms|s|m|h|d)\b(?= *(?:$|ago| ))", "AGE"),
        (r"(?<= )<invalid>(?= |$)", "AGE"),
        (r"(?<=deleted) from \S+ namespace\b", ""),  # what newer clients add
        (r"^ *(?:Node-Selectors|Tolerations|Time Zone): +<(?:none|unset)>\n", ""),  # not in every version
        (r"\bannotate$", "annotated"),  # what older clients say
        (r"\n{3,}", "\n\n"),
        (r"-{4,}", "----"),
        (r"={4,}", "===="),
        (r"(?<=\S)[ \t]{2,}", "  "),
        (r"[ \t]+$", ""),
    )
)


def masked(text: str) -> str:
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    return text.strip("\n")
