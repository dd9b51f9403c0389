"""What tests of all levels share."""

from tests.dockerengine import docker_engine

__all__ = ["docker_engine"]
