"""The API described in OpenAPI, version 2 and 3, generated from the Structs. Nothing here does I/O.

`served` is what there is to describe, `definitions` the types, `operations` the paths; `v2` and `v3` write both down as
documents, `gnostic` writes the older one as protobuf, and `library` keeps what has been written.
"""
