"""What tests of all levels share."""

from hypothesis import HealthCheck, settings

from tests.dockerengine import docker_engine

__all__ = ["docker_engine"]

# A test that passed passes again: the examples are the same every day. `--hypothesis-profile=default` looks for others.
# None fails because the machine is slow.
settings.register_profile("every-day", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("every-day")
