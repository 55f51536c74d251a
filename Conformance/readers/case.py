"""One case of a suite."""

import base64
import dataclasses
import re

SERVER_AUTH, CLIENT_AUTH = "1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"
PEM = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----\s*(.*?)-----END \1-----", re.S)


@dataclasses.dataclass
class Case:
    """A question, and the answer that the suite expects of each profile that it is asked in."""

    id: str
    group: str
    is_accepted: bool
    request: dict
    profiles: tuple
    # Why it cannot be asked; it is then counted as skipped.
    skipped: str = ""
    # Whether the suite itself leaves the answer open.
    is_open: bool = False
    # A request that must be accepted first, for the case to mean anything.
    first: dict | None = None


def text(der):
    return base64.b64encode(der).decode()


def blocks(pem):
    """The parts of a PEM file: (label, DER)."""
    found = []
    for label, body in PEM.findall(pem):
        body = "".join(line for line in body.splitlines() if ":" not in line)
        found.append((label, base64.b64decode(body)))
    return found


def objects(path):
    """Each object of a file in PEM, or the one of a file in DER; [] where the file is empty or its PEM is broken."""
    content = path.read_bytes()
    if content[:1] == b"\x30":
        return [content]
    try:
        return [der for _, der in blocks(content.decode("latin-1"))]
    except ValueError:
        return []


def parse(der):
    """A request whether octets are a certificate."""
    return {"v": 1, "op": "parse", "der": text(der)}


def validate(leaf, roots, intermediates=(), **more):
    """A request of the conformance protocol; certificates in DER."""
    request = {
        "v": 1,
        "op": "validate",
        "leaf": text(leaf),
        "roots": [text(item) for item in roots],
        "intermediates": [text(item) for item in intermediates],
        "peer_name": None,
        "purpose": "any",
        "eku": [],
        "revocation": "off",
        "crls": [],
        "ocsp": [],
    }
    request.update(more)
    return request
