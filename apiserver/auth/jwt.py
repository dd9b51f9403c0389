"""JSON Web Tokens signed with an elliptic key (ES256): made and checked. Pure; what claims mean is told elsewhere."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

from apiserver.auth.signing import PrivateKey
from apiserver.auth.tokens import InvalidToken

ALGORITHM: Final = "ES256"
LONGEST_TOKEN: Final = 64 * 1024
_NUMBER_BYTES: Final = 32
_SIGNATURE: Final = ec.ECDSA(hashes.SHA256())


class SigningKey:
    """A key with the name by which tokens refer to it."""

    def __init__(self, key: PrivateKey) -> None:
        self._key = key

    @cached_property
    def id(self) -> str:
        encoded = self._key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return _encode(hashlib.sha256(encoded).digest())

    def sign(self, claims: Mapping[str, Any]) -> str:
        header = {"alg": ALGORITHM, "kid": self.id}
        signed = f"{_encode(msgspec.json.encode(header))}.{_encode(msgspec.json.encode(claims))}"
        first, second = decode_dss_signature(self._key.sign(signed.encode(), _SIGNATURE))
        raw = first.to_bytes(_NUMBER_BYTES, "big") + second.to_bytes(_NUMBER_BYTES, "big")
        return f"{signed}.{_encode(raw)}"

    def read(self, token: str) -> bytes:
        """The claims of a token that this key has signed, as JSON."""
        if len(token) > LONGEST_TOKEN or token.count(".") != 2:
            raise InvalidToken("not a token")
        signed, _, signature = token.rpartition(".")
        header, _, claims = signed.partition(".")
        if _read_header(header) != (ALGORITHM, self.id):
            raise InvalidToken("signed with another key")
        raw = _decode(signature)
        if len(raw) != 2 * _NUMBER_BYTES:
            raise InvalidToken("the signature is malformed")
        numbers = int.from_bytes(raw[:_NUMBER_BYTES], "big"), int.from_bytes(raw[_NUMBER_BYTES:], "big")
        try:
            self._key.public_key().verify(encode_dss_signature(*numbers), signed.encode(), _SIGNATURE)
        except InvalidSignature as error:
            raise InvalidToken("the signature does not fit") from error
        return _decode(claims)

    def public(self) -> dict[str, str]:
        """The key as others need it to check tokens: a JSON Web Key."""
        point = self._key.public_key().public_numbers()
        return {
            "use": "sig",
            "kty": "EC",
            "kid": self.id,
            "crv": "P-256",
            "alg": ALGORITHM,
            "x": _encode(point.x.to_bytes(_NUMBER_BYTES, "big")),
            "y": _encode(point.y.to_bytes(_NUMBER_BYTES, "big")),
        }


class _Header(msgspec.Struct):
    alg: str = ""
    kid: str = ""


def _read_header(text: str) -> tuple[str, str]:
    try:
        header = msgspec.json.decode(_decode(text), type=_Header)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InvalidToken("the header is malformed") from error
    return header.alg, header.kid


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, UnicodeEncodeError) as error:
        raise InvalidToken("not base64") from error
