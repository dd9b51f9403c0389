"""What an empty cluster contains.

`contents` makes it so; the other modules say what it is: `priorities`, `flows`, `apiservices`, and the rights in
`policy` and `controllers`, written in the notation of `rules` and put together in `roles`.
"""

from __future__ import annotations

from apiserver.bootstrap.contents import KUBERNETES, SYSTEM_NAMESPACES, fill

__all__ = ["KUBERNETES", "SYSTEM_NAMESPACES", "fill"]
