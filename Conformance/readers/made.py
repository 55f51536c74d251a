"""Certificates for suites that publish names and expectations alone, made with Differential/mutator."""

import ipaddress
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Differential"))
from mutator import certificate, der  # noqa: E402
from mutator.certificate import ALTERNATIVE_NAME, NAME_CONSTRAINTS, NOW  # noqa: E402, F401

MAIL, DNS, URI, ADDRESS = 0x81, 0x82, 0x86, 0x87


def address(value):
    """The name of an IP address."""
    return der.tlv(ADDRESS, ipaddress.ip_address(value).packed)


def constraints(permitted=(), excluded=()):
    """The value of name constraints; each subtree is the octets of its base."""
    parts = [
        der.context(number, *(der.sequence(base) for base in bases))
        for number, bases in enumerate((permitted, excluded))
        if bases
    ]
    return der.sequence(*parts)


def leaf(issuer, names, label="server"):
    """A server's certificate with these alternative names alone, and no name in its subject but an organization."""
    made = certificate.server(issuer, label)
    made.subject = certificate.name("", "Example")
    return made.put(ALTERNATIVE_NAME, der.sequence(*names) if names else None)


def below(names, permitted=(), excluded=()):
    """(leaf, intermediate, root) where the intermediate carries the constraints."""
    root = certificate.root()
    between = certificate.intermediate(root)
    if permitted or excluded:
        between.add(NAME_CONSTRAINTS, constraints(permitted, excluded), critical=True)
    return leaf(between, names).signed(), between.signed(), root.signed()


class Written:
    """An extension as it stands elsewhere."""

    def __init__(self, kind, encoded):
        self.kind, self.encoded = kind, encoded

    def encode(self):
        return self.encoded


def with_extension(made, kind, encoded):
    """A certificate with another's extension in place of its own of that kind."""
    twin = made.clone().put(kind)
    twin.extensions.append(Written(kind, encoded))
    return twin
