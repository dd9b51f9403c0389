"""Running containers: one protocol (`interface.py`), a real engine (`docker/`), a simulated one (`hollow/`)."""
