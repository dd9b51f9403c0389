"""Which Steersman this is."""

from __future__ import annotations

VERSION = "0.1.0"
KUBERNETES = "1.36"
"""The release whose API we speak."""
