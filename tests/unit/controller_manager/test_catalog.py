"""The catalog: every controller can be built from just what it says it reads, and `--controllers` picks among them."""

from __future__ import annotations

from random import Random

import pytest
from prometheus_client import CollectorRegistry

from controller_manager import catalog
from controller_manager.catalog import Row
from controller_manager.config import Settings
from controller_manager.informers import Informers
from controller_manager.measures import Measures
from controller_manager.office import Office
from steersman.base.clock import SystemClock
from steersman.client import client


@pytest.mark.parametrize("row", catalog.ALL, ids=lambda row: row.name)
async def test_a_controller_is_built_from_what_its_row_says_it_reads(row: Row) -> None:
    async with client.connect(["127.0.0.1:1"]) as api, api.batch() as batch:  # nothing is sent before the first call
        informers = Informers(api, row.reads, SystemClock())
        office = Office(
            api,
            batch,
            informers,
            row.reads,
            settings=Settings(insecure=True),
            instance="test",
            clock=SystemClock(),
            random=Random(1),
            measures=Measures(CollectorRegistry()),
        )
        row.build(office)
        office.close()


def test_names_are_unique_and_in_order() -> None:
    names = [row.name for row in catalog.ALL]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("wanted", "has", "lacks"),
    [
        pytest.param(["*"], {"deployment", "scheduler"}, set(), id="all"),
        pytest.param(["*", "-scheduler"], {"deployment"}, {"scheduler"}, id="all but one"),
        pytest.param(["deployment"], {"deployment"}, {"scheduler", "replicaset"}, id="one"),
        pytest.param([], set(), {"deployment"}, id="none"),
    ],
)
def test_controllers_are_picked_by_name(wanted: list[str], has: set[str], lacks: set[str]) -> None:
    names = {row.name for row in catalog.chosen(wanted)}
    assert has <= names
    assert not lacks & names


def test_an_unknown_controller_is_named() -> None:
    with pytest.raises(ValueError, match="unknown controllers: nonsense, -more; there are: .*deployment"):
        catalog.chosen(["*", "nonsense", "-more"])


def test_the_scheduler_has_a_lease_of_its_own() -> None:
    leases = {row.name: row.lease for row in catalog.ALL}
    assert leases["scheduler"] == "kube-scheduler"
    assert {lease for name, lease in leases.items() if name != "scheduler"} == {"kube-controller-manager"}
