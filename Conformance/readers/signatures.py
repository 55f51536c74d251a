"""Malformed signatures of the kinds that Wycheproof collects (github.com/C2SP/wycheproof), around certificates.

Wycheproof's own vectors sign messages that are no certificates, so that its kinds are made here, with keys that are the
same in every run: no folder is read. Each kind is a leaf whose one fault is its signature, below a trusted root. Beside
them stand controls, which are accepted; nothing else ever is.
"""

import hashlib
import random

from . import made
from .case import SERVER_AUTH, Case, validate
from .made import certificate, der
from .signatures_ecdsa import CURVES, ECDSA, SIGNS
from .signatures_rsa import PKCS1, PSS, PSS_ODD, PSS_SALTED, cube_root, pss_algorithm

PROFILES = ("apple", "webpki", "rfc5280", "rfc5280-strict", "legacy")
ORDER = 2**252 + 27742317777372353535851937790883648493  # RFC 8032 §5.1.


def cases(path, time):
    for curve, order in CURVES.items():
        yield from _group(f"ecdsa {curve}", curve, ECDSA | (SIGNS if order.bit_length() % 8 == 0 else {}))
    yield from _group("pkcs1", "RSA-2048", PKCS1)
    yield from _group("pkcs1 e=3", "RSA-2048 e=3", PKCS1 | {"cube root": cube_root})
    yield from _pss()
    # Ed25519 is not among the algorithms of the baseline requirements (BR 7.1.3.1).
    yield from _group("ed25519", "Ed25519", EDWARDS, ("rfc5280", "legacy"))


def _pss():
    """Apple's systems verify none of certificates (SecSignatureVerificationSupport.c), browsers those of BR 7.1.3.2."""
    everyone, free = ("webpki", "rfc5280", "rfc5280-strict", "legacy"), ("rfc5280", "rfc5280-strict", "legacy")
    yield from _group("pss", "RSA-2048", PSS, everyone, pss_algorithm())
    yield from _group("pss", "RSA-2048", {"signed for apple": PSS["control"][0]}, ("apple",), pss_algorithm())
    for name, (maker, algorithm) in PSS_SALTED.items():
        yield from _group("pss", "RSA-2048", {name: (maker, True)}, free, algorithm)
        yield from _group("pss", "RSA-2048", {f"{name} for browsers": maker}, ("webpki", "apple"), algorithm)
    for name, (maker, algorithm) in PSS_ODD.items():
        yield from _group("pss", "RSA-2048", {name: maker}, PROFILES, algorithm)


def _group(group, kind, kinds, profiles=PROFILES, algorithm=None):
    """Cases of `{name: maker}`, or `{name: (maker, whether it is accepted)}`; a maker signs octets for a key."""
    root = certificate.root("signatures", kind)
    for name, entry in kinds.items():
        maker, is_accepted = entry if isinstance(entry, tuple) else (entry, False)
        leaf = certificate.server(root)
        leaf.signing_key = Signer(root.key, maker, algorithm)
        request = validate(
            leaf.signed(),
            [root.signed()],
            time=made.NOW,
            purpose="server",
            eku=[SERVER_AUTH],
            peer_name={"kind": "DNS", "value": "www.example.com"},
        )
        yield Case(f"signatures::{group}::{name}", f"signatures::{group}", is_accepted, request, profiles)


class Signer:
    """A key that signs with a fault."""

    def __init__(self, key, maker, algorithm=None):
        self.key, self.maker, self.written = key, maker, algorithm
        self.identifier = key.identifier

    def algorithm(self, digest):
        return self.written or self.key.algorithm(digest)

    def sign(self, message, digest):
        return self.maker(self.key, message)


def _edwards(change):
    """A change of R and S, the halves of a signature (RFC 8032 §5.1.6)."""

    def make(key, message):
        signature = key.sign(message)
        return change(signature[:32], int.from_bytes(signature[32:], "little"))

    return make


def _scalar(value, size=32):
    return value.to_bytes(size, "little")


EDWARDS = {
    "control": (_edwards(lambda r, s: r + _scalar(s)), True),
    "S plus the order": _edwards(lambda r, s: r + _scalar(s + ORDER)),
    "S plus two orders": _edwards(lambda r, s: r + _scalar(s + 2 * ORDER)),
    "S with a high bit": _edwards(lambda r, s: r + _scalar(s | 1 << 255)),
    "S zero": _edwards(lambda r, s: r + _scalar(0)),
    "S the order": _edwards(lambda r, s: r + _scalar(ORDER)),
    "S of ones": _edwards(lambda r, s: r + b"\xff" * 32),
    "S negated": _edwards(lambda r, s: r + _scalar(ORDER - s)),
    "R zero": _edwards(lambda r, s: bytes(32) + _scalar(s)),
    "R the neutral element": _edwards(lambda r, s: _scalar(1) + _scalar(s)),
    "R and S zero": _edwards(lambda r, s: bytes(64)),
    "R neutral, S zero": _edwards(lambda r, s: _scalar(1) + bytes(32)),
    "R of the other sign": _edwards(lambda r, s: r[:-1] + bytes([r[-1] ^ 0x80]) + _scalar(s)),
    "R not reduced": _edwards(lambda r, s: b"\xee" + b"\xff" * 30 + b"\x7f" + _scalar(s)),
    "R and S exchanged": _edwards(lambda r, s: _scalar(s) + r),
    "S truncated": _edwards(lambda r, s: r + _scalar(s)[:-1]),
    "S missing": _edwards(lambda r, s: r),
    "a trailing zero": _edwards(lambda r, s: r + _scalar(s, 33)),
    "a leading zero": _edwards(lambda r, s: b"\x00" + r + _scalar(s)),
    "empty": lambda key, message: b"",
    "in a sequence": lambda key, message: der.sequence(der.octets(key.sign(message))),
    "of the digest": lambda key, message: key.sign(hashlib.sha512(message).digest()),
    "at random": lambda key, message: random.Random(message).randbytes(64),
}
