"""What tests of all levels share."""

import signal

from hypothesis import settings

from tests.dockerengine import docker_engine

__all__ = ["docker_engine"]

# A test that passed passes again: the examples are the same every day. `--hypothesis-profile=default` looks for others.
settings.register_profile("every-day", derandomize=True)
settings.load_profile("every-day")

# A shell that runs us in the background has us ignore Ctrl-C, and so would every process that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
