"""The API described in OpenAPI, version 2 and 3, generated from the Structs. Nothing here does I/O.

`served` is what there is to describe, `definitions` the types, `operations` the paths; `v2` and `v3` write both down as
documents, `gnostic` writes the older one as protobuf, `writing` writes them all and `library` keeps what was written.
"""
