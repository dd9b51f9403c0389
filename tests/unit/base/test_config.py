from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from steersman.base import config
from steersman.base.config import about
from steersman.base.values import Address, Duration


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    grpc_address: Address = field(default=Address("127.0.0.1", 6444), metadata=about("Where gRPC clients connect."))
    lease_seconds: Duration = field(default=Duration(4), metadata=about("How long.", flag="lease-duration"))
    insecure: bool = field(default=False, metadata=about("Speak plain text."))
    watch: bool = field(default=True, metadata=about("Follow changes."))
    endpoints: tuple[str, ...] = field(default=(), metadata=about("Where etcd listens."))
    data_dir: Path | None = field(default=None, metadata=about("Where things are kept."))

    def __post_init__(self) -> None:
        if self.insecure and self.grpc_address.host == "0.0.0.0":
            raise ValueError("--insecure is for loopback addresses only")


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsName:
    node_name: str = field(metadata=about("The node's name."))


def load(*arguments: str, **environment: str) -> Settings:
    return config.load(
        Settings, program="steersman-x", version="1.2", about="About it.", arguments=arguments, environment=environment
    )


@pytest.mark.parametrize(
    ("arguments", "environment", "expected"),
    [
        pytest.param([], {}, Settings(), id="defaults"),
        pytest.param(
            [], {"STEERSMAN_GRPC_ADDRESS": "h:1"}, Settings(grpc_address=Address("h", 1)), id="environment over default"
        ),
        pytest.param(
            ["--grpc-address", "h:2"],
            {"STEERSMAN_GRPC_ADDRESS": "h:1"},
            Settings(grpc_address=Address("h", 2)),
            id="flag over environment",
        ),
        pytest.param(["--grpc-address=[::1]:5"], {}, Settings(grpc_address=Address("::1", 5)), id="equals sign"),
        pytest.param([], {"STEERSMAN_GRPC_ADDRESS": ""}, Settings(), id="an empty variable is not set"),
        pytest.param(["--insecure"], {}, Settings(insecure=True), id="switch on"),
        pytest.param(
            ["--no-insecure"], {"STEERSMAN_INSECURE": "true"}, Settings(), id="switch off over the environment"
        ),
        pytest.param(["--no-watch"], {}, Settings(watch=False), id="switch off what is on"),
        pytest.param(["--lease-duration", "1m30s"], {}, Settings(lease_seconds=Duration(90)), id="own flag name"),
        pytest.param(
            [], {"STEERSMAN_LEASE_DURATION": "300ms"}, Settings(lease_seconds=Duration(0.3)), id="and its variable"
        ),
        pytest.param(
            ["--endpoints", "a,b", "--endpoints", "c"], {}, Settings(endpoints=("a", "b", "c")), id="list, repeated"
        ),
        pytest.param(
            ["--data-dir="], {"STEERSMAN_DATA_DIR": "/x"}, Settings(data_dir=None), id="an empty flag takes away"
        ),
        pytest.param([], {"STEERSMAN_OTHER": "?"}, Settings(), id="other processes' variables are ignored"),
    ],
)
def test_flags_over_environment_over_defaults(
    arguments: list[str], environment: dict[str, str], expected: Settings
) -> None:
    assert load(*arguments, **environment) == expected


@pytest.mark.parametrize(
    ("arguments", "environment", "lines"),
    [
        pytest.param(
            ["--grpc-address", "here", "--lease-duration", "4"],
            {"STEERSMAN_INSECURE": "perhaps"},
            [
                "--grpc-address: 'here' is not host:port, such as 127.0.0.1:6443 or [::1]:6443",
                "--lease-duration: '4' is not a duration, such as 300ms, 5s or 1m30s",
                "STEERSMAN_INSECURE: 'perhaps' is not true or false",
            ],
            id="all bad values at once",
        ),
        pytest.param(
            ["--insecure", "--grpc-address", "0.0.0.0:1"],
            {},
            ["--insecure is for loopback addresses only"],
            id="what the class itself refuses",
        ),
        pytest.param(["--grpc", "h:1"], {}, ["unrecognized arguments: --grpc h:1"], id="no guessing of short forms"),
        pytest.param(["--data-dir"], {}, ["argument --data-dir: expected one argument"], id="a flag without its value"),
    ],
)
def test_bad_values_end_the_process_with_2(
    arguments: list[str], environment: dict[str, str], lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        load(*arguments, **environment)
    assert ended.value.code == 2
    told = capsys.readouterr().err.splitlines()
    assert told == [*(f"steersman-x: {line}" for line in lines), "Try steersman-x --help."]


def test_a_setting_without_default_is_required() -> None:
    with pytest.raises(config.BadSettings, match=r"--node-name \(or STEERSMAN_NODE_NAME\) is required"):
        config.resolve(NeedsName, {}, {})
    assert config.resolve(NeedsName, {"node_name": "a"}, {}) == NeedsName(node_name="a")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        load("--version")
    assert (ended.value.code, capsys.readouterr().out) == (0, "steersman-x 1.2\n")


def test_help_reads_well(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        load("--help")
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert told.startswith("usage: steersman-x [flags]\n\nAbout it.\n")
    assert "  --grpc-address HOST:PORT\n      Where gRPC clients connect. (default 127.0.0.1:6444)\n" in told
    assert "  --lease-duration DURATION\n      How long. (default 4s)\n" in told
    assert "  --[no-]insecure\n      Speak plain text.\n" in told
    assert "  --[no-]watch\n      Follow changes. (default on)\n" in told
    assert "  --data-dir PATH\n      Where things are kept.\n" in told
