"""The controller manager's settings: what is refused, and where its certificate is looked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from controller_manager.config import Settings
from steersman.base.values import Duration


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        pytest.param({"server": ()}, "at least one address", id="no server"),
        pytest.param({"server": ("nonsense",)}, "nonsense", id="not an address"),
        pytest.param({"client_key": Path("k")}, "go together", id="a key without its certificate"),
        pytest.param({"lease_duration": Duration(2.5)}, "whole seconds", id="half a second"),
        pytest.param({"lease_duration": Duration(0.0)}, "at least 1s", id="no lease"),
        pytest.param({"renew_interval": Duration(4.0)}, "grow in that order", id="renewed too late"),
        pytest.param({"retry_period": Duration(2.0)}, "grow in that order", id="retried too late"),
    ],
)
def test_settings_that_cannot_work_are_refused(given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Settings(**given)


def test_the_certificate_is_looked_for_in_the_api_servers_data_dir() -> None:
    files = Settings(data_dir=Path("/d")).credential_files()
    assert files == (
        Path("/d/pki/ca.crt"),
        Path("/d/pki/controller-manager.crt"),
        Path("/d/pki/controller-manager.key"),
    )


def test_given_files_come_first() -> None:
    given = (Path("ca"), Path("crt"), Path("key"))
    settings = Settings(certificate_authority=given[0], client_certificate=given[1], client_key=given[2])
    assert settings.credential_files() == given


def test_insecure_needs_none() -> None:
    assert Settings(insecure=True).credential_files() is None
