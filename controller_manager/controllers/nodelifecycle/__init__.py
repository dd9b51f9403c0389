"""Nodes that are lost, or not well: noticed, marked, and their pods moved elsewhere, not all at once."""
