"""The certificates group, v1: requests for certificates, and what to trust."""

from typing import Annotated

from msgspec import field

from steersman.api.meta import Condition, Object
from steersman.api.part import At, Int32, Part, Time, atomic, keyed, null


class CertificateSigningRequestSpec(Part):
    request: Annotated[bytes, At(1)] = field(default_factory=bytes)
    signer_name: Annotated[str, At(7)] = field(default_factory=str)
    expiration_seconds: Annotated[Int32 | None, At(8)] = None
    usages: Annotated[tuple[str, ...], atomic(5)] = ()
    username: Annotated[str, At(2)] = ""
    uid: Annotated[str, At(3)] = ""
    groups: Annotated[tuple[str, ...], atomic(4)] = ()
    extra: Annotated[dict[str, tuple[str, ...]], At(6)] = field(default_factory=dict)


class CertificateSigningRequestCondition(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    status: Annotated[str, At(6)] = field(default_factory=str)
    reason: Annotated[str, At(2)] = ""
    message: Annotated[str, At(3)] = ""
    last_update_time: Annotated[Time | None, At(4)] = field(default_factory=null)
    last_transition_time: Annotated[Time | None, At(5)] = field(default_factory=null)


class CertificateSigningRequestStatus(Part):
    conditions: Annotated[tuple[CertificateSigningRequestCondition, ...], keyed(1, "type", patch="")] = ()
    certificate: Annotated[bytes, At(2)] = b""


class CertificateSigningRequest(Object):
    """The request to have a certificate signed."""

    spec: Annotated[CertificateSigningRequestSpec, At(2, required=True)] = field(
        default_factory=CertificateSigningRequestSpec
    )
    status: Annotated[CertificateSigningRequestStatus, At(3)] = field(default_factory=CertificateSigningRequestStatus)


class ClusterTrustBundleSpec(Part):
    signer_name: Annotated[str, At(1)] = ""
    trust_bundle: Annotated[str, At(2)] = field(default_factory=str)


class ClusterTrustBundle(Object):
    """Certificates to trust, for the whole cluster."""

    spec: Annotated[ClusterTrustBundleSpec, At(2, required=True)] = field(default_factory=ClusterTrustBundleSpec)


class PodCertificateRequestSpec(Part):
    signer_name: Annotated[str, At(1)] = field(default_factory=str)
    pod_name: Annotated[str, At(2)] = field(default_factory=str)
    pod_uid: Annotated[str, At(3)] = field(default_factory=str, name="podUID")
    service_account_name: Annotated[str, At(4)] = field(default_factory=str)
    service_account_uid: Annotated[str, At(5)] = field(default_factory=str, name="serviceAccountUID")
    node_name: Annotated[str, At(6)] = field(default_factory=str)
    node_uid: Annotated[str, At(7)] = field(default_factory=str, name="nodeUID")
    max_expiration_seconds: Annotated[Int32 | None, At(8, default=86400)] = None
    stub_pkcs10_request: Annotated[bytes, At(12)] = field(default_factory=bytes, name="stubPKCS10Request")
    unverified_user_annotations: Annotated[dict[str, str], At(11)] = field(default_factory=dict)


class PodCertificateRequestStatus(Part):
    conditions: Annotated[tuple[Condition, ...], keyed(1, "type")] = ()
    certificate_chain: Annotated[str, At(2)] = ""
    not_before: Annotated[Time | None, At(4)] = None
    begin_refresh_at: Annotated[Time | None, At(5)] = None
    not_after: Annotated[Time | None, At(6)] = None


class PodCertificateRequest(Object):
    """The request for a certificate of a pod."""

    spec: Annotated[PodCertificateRequestSpec, At(2, required=True)] = field(default_factory=PodCertificateRequestSpec)
    status: Annotated[PodCertificateRequestStatus, At(3)] = field(default_factory=PodCertificateRequestStatus)
