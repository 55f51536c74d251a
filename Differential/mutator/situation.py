"""What the judges are asked about."""

import base64
import dataclasses

from .certificate import NOW


@dataclasses.dataclass
class Situation:
    """A leaf with what came along with it, what is trusted, and what is known of it beforehand."""

    mutation: str
    leaf: bytes
    roots: list
    intermediates: list = dataclasses.field(default_factory=list)
    host: str | None = "www.example.com"
    time: int = NOW
    revocation: str = "off"
    lists: list = dataclasses.field(default_factory=list)
    responses: list = dataclasses.field(default_factory=list)
    # What a naive reading of the rules says by itself: "accept", a reason to refuse, or None where it says nothing.
    oracle: str | None = None
    # A reading that depends on the profile: {profile: the same}.
    oracles: dict = dataclasses.field(default_factory=dict)
    # Gives functions that make the situations with one thing less.
    simpler: object = tuple

    def request(self, identifier, profile):
        """The request of the conformance protocol."""
        return {
            "v": 1,
            "id": identifier,
            "op": "validate",
            "leaf": text(self.leaf),
            "roots": [text(r) for r in self.roots],
            "intermediates": [text(i) for i in self.intermediates],
            "time": self.time,
            "purpose": "server",
            "peer_name": None if self.host is None else {"kind": "HOST", "value": self.host},
            "eku": ["1.3.6.1.5.5.7.3.1"],
            "profile": profile,
            "revocation": self.revocation,
            "crls": [text(c) for c in self.lists],
            "ocsp": [text(r) for r in self.responses],
        }


def text(data):
    return base64.b64encode(data).decode()
