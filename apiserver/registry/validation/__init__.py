"""The rules that objects must keep, in Kubernetes' words.

Every function takes a value and its path and returns its complaints in field order; an empty list means that all is
well. The usual object has nothing wrong with it, so paths are only spelled out where there is something to look at.
"""
