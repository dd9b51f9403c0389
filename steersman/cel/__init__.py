"""CEL, the Common Expression Language, as Kubernetes uses it: parse, check, estimate and evaluate expressions.

Pure. `compilation.compile` is the door for users; `environment` says what an expression may speak of.
"""
