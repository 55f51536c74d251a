"""Revocation lists (RFC 5280 §5) and OCSP responses (RFC 6960 §4.2), each field of which may be changed."""

import dataclasses
import hashlib

from . import der
from .certificate import AUTHORITY_KEY, DAY, NOW, authority_key
from .der import boolean, context, integer, octets, oid, sequence, tlv

CRL_NUMBER, DELTA_INDICATOR, ISSUING_POINT, REASON, ENTRY_ISSUER = (
    "2.5.29.20",
    "2.5.29.27",
    "2.5.29.28",
    "2.5.29.21",
    "2.5.29.29",
)


def extension(kind, value, critical=False):
    return sequence(oid(kind), boolean(True) if critical else b"", octets(value))


def entry(serial, since=NOW - 10 * DAY, *extensions):
    """One revoked certificate of a list."""
    return sequence(integer(serial), der.time(since), sequence(*extensions) if extensions else b"")


def reason(code, critical=False):
    return extension(REASON, tlv(10, bytes([code])), critical)


def entry_issuer(name):
    """Whose certificate an entry of an indirect list is about (RFC 5280 §5.3.3)."""
    return extension(ENTRY_ISSUER, sequence(context(4, name)), critical=True)


@dataclasses.dataclass
class List:
    """A revocation list; `signed()` gives the whole."""

    issuer: bytes
    signing_key: object
    entries: list = dataclasses.field(default_factory=list)
    this_update: int = NOW - DAY
    next_update: int | None = NOW + 6 * DAY
    number: int | None = 7
    digest: str = "sha256"
    extensions: list = dataclasses.field(default_factory=list)
    key_identifier: bytes | None = None
    version: bytes = integer(1)
    is_damaged: bool = False
    outer_algorithm: bytes | None = None

    def signed(self):
        extensions = list(self.extensions)
        extensions.append(extension(AUTHORITY_KEY, authority_key(self.key_identifier or self.signing_key.identifier)))
        if self.number is not None:
            extensions.append(extension(CRL_NUMBER, integer(self.number)))
        algorithm = self.signing_key.algorithm(self.digest)
        body = sequence(
            self.version,
            algorithm,
            self.issuer,
            der.time(self.this_update),
            b"" if self.next_update is None else der.time(self.next_update),
            sequence(*self.entries) if self.entries else b"",
            context(0, sequence(*extensions)) if self.version else b"",
        )
        signature = self.signing_key.sign(body, self.digest)
        if self.is_damaged:
            signature = signature[:-1] + bytes([signature[-1] ^ 1])
        return sequence(body, self.outer_algorithm or algorithm, der.bits(signature))


def issuing_point(name=None, only=None, reasons=None, is_indirect=False):
    """The issuing distribution point; `only` is user, authority or attribute."""
    kinds = {"user": 1, "authority": 2, "attribute": 5}
    parts = [context(0, context(0, tlv(0x86, name.encode())))] if name else []
    flags = {3: reasons} if reasons is not None else {}
    if only:
        flags[kinds[only]] = b"\xff"
    if is_indirect:
        flags[4] = b"\xff"
    parts += [tlv(0x80 | number, value) for number, value in sorted(flags.items())]
    return extension(ISSUING_POINT, sequence(*parts), critical=True)


ALGORITHMS = {"sha1": "1.3.14.3.2.26", "sha256": "2.16.840.1.101.3.4.2.1", "sha384": "2.16.840.1.101.3.4.2.2"}


def certificate_identifier(issuer_name, issuer_key, serial, digest="sha1"):
    """RFC 6960 §4.1.1."""
    hashed = [octets(hashlib.new(digest, data).digest()) for data in (issuer_name, issuer_key)]
    return sequence(sequence(oid(ALGORITHMS[digest]), der.null()), *hashed, integer(serial))


@dataclasses.dataclass
class Answer:
    """What a response says of one certificate."""

    identifier: bytes
    status: str = "good"
    this_update: int = NOW - DAY
    next_update: int | None = NOW + 6 * DAY
    extensions: list = dataclasses.field(default_factory=list)

    def encode(self):
        status = {
            "good": tlv(0x80),
            "unknown": tlv(0x82),
            "revoked": context(1, der.generalized_time(NOW - 10 * DAY), context(0, tlv(10, b"\x01"))),
        }[self.status]
        return sequence(
            self.identifier,
            status,
            der.generalized_time(self.this_update),
            b"" if self.next_update is None else context(0, der.generalized_time(self.next_update)),
            context(1, sequence(*self.extensions)) if self.extensions else b"",
        )


@dataclasses.dataclass
class Response:
    """An OCSP response; `signed()` gives the whole."""

    answers: list
    signing_key: object
    responder: bytes
    certificates: list = dataclasses.field(default_factory=list)
    produced: int = NOW - DAY
    digest: str = "sha256"
    extensions: list = dataclasses.field(default_factory=list)
    status: int = 0
    kind: str = "1.3.6.1.5.5.7.48.1.1"
    is_damaged: bool = False

    def signed(self):
        if self.status:
            return sequence(tlv(10, bytes([self.status])))
        answers = [answer if isinstance(answer, bytes) else answer.encode() for answer in self.answers]
        body = sequence(
            self.responder,
            der.generalized_time(self.produced),
            sequence(*answers),
            context(1, sequence(*self.extensions)) if self.extensions else b"",
        )
        signature = self.signing_key.sign(body, self.digest)
        if self.is_damaged:
            signature = signature[:-1] + bytes([signature[-1] ^ 1])
        basic = sequence(
            body,
            self.signing_key.algorithm(self.digest),
            der.bits(signature),
            context(0, sequence(*self.certificates)) if self.certificates else b"",
        )
        return sequence(tlv(10, b"\x00"), context(0, sequence(oid(self.kind), octets(basic))))


def responder_name(name):
    return context(1, name)


def responder_key(identifier):
    return context(2, octets(identifier))
