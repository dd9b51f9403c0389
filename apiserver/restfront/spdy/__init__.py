"""SPDY/3.1 as Kubernetes' clients speak it: frames, compressed headers, streams.

Pure: bytes go in, events and bytes come out.
"""
