"""The Docker engine as a ContainerRuntime. Nothing outside this folder knows Docker."""

from nodeagent.runtime.docker.runtime import DockerRuntime, open_runtime
from nodeagent.runtime.docker.settings import OUR_PAUSE_IMAGE, DockerSettings

__all__ = ["OUR_PAUSE_IMAGE", "DockerRuntime", "DockerSettings", "open_runtime"]
