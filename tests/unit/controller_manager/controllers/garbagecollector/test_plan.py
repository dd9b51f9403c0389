from __future__ import annotations

from typing import Any

import pytest

from controller_manager.controllers.garbagecollector import plan
from controller_manager.controllers.garbagecollector.plan import Delete, Fate, Forget, LetGo, Orphan, Owner
from controller_manager.sketches import FOREGROUND, ORPHAN, Sketch
from tests.unit.controller_manager.controllers.garbagecollector.world import HOLD, make, refers_to, standing

STAYS, WAITS, ABSENT, UNKNOWN = Fate


def told(item: Sketch, fates: tuple[Fate, ...], dependents: tuple[Sketch, ...], **known: Any) -> list[str]:
    """The plan as short texts."""
    owners = [Owner(reference, fate) for reference, fate in zip(item.metadata.owner_references, fates, strict=True)]
    lines = []
    for action in plan.plan(standing(item), owners, [standing(each) for each in dependents], **known):
        match action:
            case Delete(propagation):
                lines.append(f"delete {propagation.value}")
            case Forget(uids):
                lines.append(f"forget {' '.join(sorted(uids))}")
            case Orphan(released):
                lines.append(f"orphan {' '.join(each.place.name for each in released)}")
            case LetGo(finalizer):
                lines.append(f"let go {finalizer}")
    return lines


FREE = make("free")
CHILD = make("child", refers_to("a"))
TWO = make("two", refers_to("a"), refers_to("b"))
THREE = make("three", refers_to("a"), refers_to("b"), refers_to("c"))
BELOW = make("below", refers_to("child"))
PLAIN = make("plain", refers_to("owner"))
BLOCKING = make("blocking", refers_to("owner", blocking=True))
OTHERS = make("others", refers_to("owner"), refers_to("else", blocking=True))
FORE = make("owner", leaving=True, finalizers=(FOREGROUND,))
BACK = make("owner", leaving=True, finalizers=(HOLD,))
ORPHANING = make("owner", leaving=True, finalizers=(ORPHAN,))
GOING = make("going", refers_to("a"), leaving=True, finalizers=(HOLD,))


@pytest.mark.parametrize(
    ("item", "fates", "dependents", "expected"),
    [
        pytest.param(FREE, (), (), [], id="nobody's"),
        pytest.param(FREE, (), (BELOW,), [], id="nobody's, with dependents"),
        pytest.param(CHILD, (STAYS,), (), [], id="the owner stays"),
        pytest.param(CHILD, (ABSENT,), (), ["delete Background"], id="the owner is absent"),
        pytest.param(CHILD, (ABSENT,), (BELOW,), ["delete Background"], id="absent, with dependents"),
        pytest.param(CHILD, (UNKNOWN,), (), [], id="nobody knows"),
        pytest.param(CHILD, (WAITS,), (), ["delete Background"], id="the owner waits"),
        pytest.param(CHILD, (WAITS,), (BELOW,), ["delete Foreground"], id="the owner waits for all below"),
        pytest.param(TWO, (STAYS, STAYS), (), [], id="two stay"),
        pytest.param(TWO, (STAYS, ABSENT), (), ["forget b-uid"], id="one of two is absent"),
        pytest.param(TWO, (WAITS, STAYS), (), ["forget a-uid"], id="one of two waits"),
        pytest.param(TWO, (WAITS, STAYS), (BELOW,), ["forget a-uid"], id="one of two waits, with dependents"),
        pytest.param(TWO, (ABSENT, ABSENT), (), ["delete Background"], id="both are absent"),
        pytest.param(TWO, (WAITS, ABSENT), (), ["delete Background"], id="one waits, one is absent"),
        pytest.param(TWO, (WAITS, ABSENT), (BELOW,), ["delete Foreground"], id="one waits, one absent, dependents"),
        pytest.param(TWO, (ABSENT, UNKNOWN), (), [], id="absent, but nobody knows of the other"),
        pytest.param(THREE, (STAYS, ABSENT, WAITS), (), ["forget b-uid c-uid"], id="one of three stays"),
        pytest.param(THREE, (STAYS, ABSENT, UNKNOWN), (), [], id="one of three is unknown"),
        pytest.param(
            make("child", refers_to("a"), finalizers=(ORPHAN,)), (ABSENT,), (), ["delete Orphan"], id="asks to orphan"
        ),
        pytest.param(
            make("child", refers_to("a"), finalizers=(FOREGROUND,)),
            (ABSENT,),
            (),
            ["delete Foreground"],
            id="asks for foreground",
        ),
        pytest.param(GOING, (ABSENT,), (), [], id="on its way already"),
        pytest.param(BACK, (), (BLOCKING,), [], id="going in the background waits for nobody"),
        pytest.param(FORE, (), (), ["let go foregroundDeletion"], id="foreground, none left"),
        pytest.param(FORE, (), (PLAIN,), ["let go foregroundDeletion"], id="foreground, none left that blocks"),
        pytest.param(FORE, (), (PLAIN, BLOCKING), [], id="foreground, one blocks"),
        pytest.param(FORE, (), (OTHERS,), ["let go foregroundDeletion"], id="foreground, blocks another"),
        pytest.param(ORPHANING, (), (), ["let go orphan"], id="orphan, none there"),
        pytest.param(
            ORPHANING, (), (PLAIN, BLOCKING), ["orphan plain blocking", "let go orphan"], id="orphan, all are freed"
        ),
    ],
)
def test_plan(item: Sketch, fates: tuple[Fate, ...], dependents: tuple[Sketch, ...], expected: list[str]) -> None:
    assert told(item, fates, dependents) == expected


def test_who_waits_for_the_owner_in_turn_does_not_block_it() -> None:
    assert told(FORE, (), (BLOCKING,), circle={"owner-uid", "blocking-uid"}) == ["let go foregroundDeletion"]
    assert told(FORE, (), (BLOCKING,), circle={"owner-uid"}) == []


def test_a_patch_names_the_state_that_it_was_made_from() -> None:
    assert plan.forgetting(TWO, frozenset({"a-uid"})) == (
        b'{"metadata":{"uid":"two-uid","resourceVersion":"1","ownerReferences":'
        b'[{"apiVersion":"v1","kind":"ConfigMap","name":"b","uid":"b-uid","blockOwnerDeletion":false}]}}'
    )
    assert plan.letting_go(FORE, FOREGROUND) == (
        b'{"metadata":{"uid":"owner-uid","resourceVersion":"1","finalizers":[]}}'
    )
