"""How long ago, as kubectl says it. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta


def age(span: timedelta) -> str:
    """12s, 4m7s, 3h20m, 2d4h."""
    seconds = max(0, int(span.total_seconds()))
    if seconds < 120:
        return f"{seconds}s"
    minutes, rest = divmod(seconds, 60)
    if minutes < 10:
        return f"{minutes}m{rest}s" if rest else f"{minutes}m"
    if minutes < 180:
        return f"{minutes}m"
    hours, minutes = divmod(minutes, 60)
    if hours < 8:
        return f"{hours}h{minutes}m" if minutes else f"{hours}h"
    if hours < 48:
        return f"{hours}h"
    days, hours = divmod(hours, 24)
    return f"{days}d{hours}h" if days < 8 and hours else f"{days}d"


def since(text: str | None, now: datetime) -> str:
    """Of a time as objects bear it; nothing known is `<unknown>`."""
    return age(now - moment(text)) if text else "<unknown>"


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
