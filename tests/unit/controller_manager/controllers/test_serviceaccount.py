from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller_manager.controllers import serviceaccount
from controller_manager.controllers.serviceaccount import CorrectCA, CreateAccount, CreateCA
from steersman.api.core import ConfigMap, Namespace, ServiceAccount
from steersman.api.meta import ObjectMeta
from tests.unit.controller_manager.workloads import ago

CA = "-----BEGIN CERTIFICATE-----"
SHOP = Namespace(metadata=ObjectMeta(name="shop"))
GOING = Namespace(metadata=ObjectMeta(name="shop", deletion_timestamp=ago(1)))
ACCOUNT = serviceaccount.account_for("shop")
PUBLISHED = serviceaccount.ca_for("shop", CA)
OTHER = replace(PUBLISHED, data={"ca.crt": "other"})
MORE = replace(PUBLISHED, data={**PUBLISHED.data, "more": "x"})
BARE = replace(PUBLISHED, metadata=replace(PUBLISHED.metadata, annotations={}))


@pytest.mark.parametrize(
    ("namespace", "account", "published", "ca", "expected"),
    [
        pytest.param(SHOP, None, None, CA, [CreateAccount("shop"), CreateCA("shop")], id="both are missing"),
        pytest.param(SHOP, ACCOUNT, None, CA, [CreateCA("shop")], id="the CA is missing"),
        pytest.param(SHOP, None, PUBLISHED, CA, [CreateAccount("shop")], id="the account is missing"),
        pytest.param(SHOP, ACCOUNT, PUBLISHED, CA, [], id="all there"),
        pytest.param(SHOP, ACCOUNT, OTHER, CA, [CorrectCA(OTHER)], id="another CA"),
        pytest.param(SHOP, ACCOUNT, MORE, CA, [CorrectCA(MORE)], id="more than the CA"),
        pytest.param(SHOP, ACCOUNT, BARE, CA, [CorrectCA(BARE)], id="no description"),
        pytest.param(SHOP, None, None, "", [CreateAccount("shop")], id="no CA to publish"),
        pytest.param(SHOP, ACCOUNT, OTHER, "", [], id="no CA to publish, one is there"),
        pytest.param(GOING, None, None, CA, [], id="the namespace is going"),
    ],
)
def test_plan(
    namespace: Namespace,
    account: ServiceAccount | None,
    published: ConfigMap | None,
    ca: str,
    expected: list[serviceaccount.Action],
) -> None:
    assert serviceaccount.plan(namespace, account, published, ca) == expected


def test_a_correction_leaves_what_is_right() -> None:
    labelled = replace(OTHER, metadata=replace(OTHER.metadata, annotations={"mine": "x"}, resource_version="7"))
    corrected = serviceaccount.corrected(labelled, CA)
    assert corrected.data == {"ca.crt": CA}
    assert corrected.metadata.annotations == {"mine": "x", serviceaccount.DESCRIPTION: serviceaccount.CA_DESCRIPTION}
    assert corrected.metadata.resource_version == "7"
