"""A simulated runtime: any number of nodes in one process, for scale tests and machines without Docker.

It is honest about it: `containerRuntimeVersion` is `hollow://`, and an exec says that nothing was run.
"""

from nodeagent.runtime.hollow.engine import HollowEngine, Part, Play, open_engine
from nodeagent.runtime.hollow.runtime import HollowRuntime

__all__ = ["HollowEngine", "HollowRuntime", "Part", "Play", "open_engine"]
