"""The words that evidence about revocation is described with: what each means, and what it makes of a list or a
response.

Beside a word stands what is known of evidence that has it: True, False, or None where the rules can be read both ways.
"""

import dataclasses

from . import signers
from .certificate import DAY, NOW
from .der import integer, null, sequence
from .evidence import DELTA_INDICATOR, entry, entry_issuer, extension, issuing_point, reason, responder_key

URL = "http://crl.example.com/list.crl"
GOOD, REVOKED, NOTHING = "good", "revoked", "nothing"
PLAIN = {
    "list": {"says": "clean", "signer": "", "time": "", "scope": "", "form": ""},
    "response": {"says": "good", "signer": "", "time": "", "whose": "", "answers": "", "form": ""},
}


@dataclasses.dataclass(frozen=True)
class Evidence:
    """One list or response in words; `words` has a value for each attribute of its kind."""

    kind: str
    target: str
    words: tuple

    def __getitem__(self, attribute):
        return dict(self.words)[attribute]

    def but(self, **words):
        return dataclasses.replace(self, words=tuple({**dict(self.words), **words}.items()))

    @property
    def label(self):
        return " ".join([f"{self.target}:", self.kind, *(word for _, word in self.words if word)])

    @property
    def is_given(self):
        """Whether it is what every good path has: a plain list about the issuing authority."""
        return self == plain("list", "issuing")

    def simpler(self):
        return [
            self.but(**{attribute: plain}) for attribute, plain in PLAIN[self.kind].items() if self[attribute] != plain
        ]


SERIALS = {"server": 0x3003, "issuing": 0x2002}
OTHER = 0x7777
# What a list says of its issuer's serial number: the entries, and what they mean.
CONTENTS = {
    "clean": (lambda serial, issuer: [], GOOD),
    "naming another": (lambda serial, issuer: [entry(OTHER)], GOOD),
    "revoking": (lambda serial, issuer: [entry(serial)], REVOKED),
    "revoking among others": (lambda serial, issuer: [entry(OTHER), entry(serial), entry(OTHER + 1)], REVOKED),
    "revoking for a reason": (lambda serial, issuer: [entry(serial, NOW - 10 * DAY, reason(1))], REVOKED),
    "holding": (lambda serial, issuer: [entry(serial, NOW - 10 * DAY, reason(6))], REVOKED),
    "revoking behind an unreadable entry": (
        lambda serial, issuer: [sequence(integer(1), null()), entry(serial)],
        REVOKED,
    ),
    "revoking from tomorrow": (lambda serial, issuer: [entry(serial, NOW + DAY)], REVOKED),
    "revoking with a critical unknown extension": (
        lambda serial, issuer: [entry(serial, NOW - DAY, extension("1.2.3.4", null(), True))],
        REVOKED,
    ),
    "revoking in the issuer's name": (lambda serial, issuer: [entry(serial, NOW - DAY, entry_issuer(issuer))], REVOKED),
    "removing": (lambda serial, issuer: [entry(serial, NOW - DAY, reason(8))], NOTHING),
}
# When a list or an answer is from: start, end, and whether it is current.
TIMES = {
    "": (NOW - DAY, NOW + 6 * DAY, True),
    "younger": (NOW - 3600, NOW + 6 * DAY, True),
    "older": (NOW - 5 * DAY, NOW + DAY, True),
    "stale": (NOW - 30 * DAY, NOW - 20 * DAY, False),
    "of the future": (NOW + 10 * DAY, NOW + 20 * DAY, False),
    "without an end": (NOW - DAY, None, None),
    "old without an end": (NOW - 400 * DAY, None, None),
    "ending now": (NOW - DAY, NOW, None),
    "beginning now": (NOW, NOW + DAY, None),
    "ending before it begins": (NOW - DAY, NOW - 20 * DAY, False),
    "ending an hour before it begins": (NOW + 1800, NOW - 1800, False),
    "very old with a distant end": (NOW - 2000 * DAY, NOW + 2000 * DAY, None),
}
# The extensions of a list's scope, and whether the list then is about the target.
SCOPES = {
    "": (lambda target: [], True),
    "for its kind": (lambda target: [issuing_point(only=KINDS[target])], True),
    "for the other kind": (
        lambda target: [issuing_point(only=KINDS["issuing" if target == "server" else "server"])],
        False,
    ),
    "for attribute certificates": (lambda target: [issuing_point(only="attribute")], False),
    "for some reasons": (lambda target: [issuing_point(reasons=b"\x01\x60")], None),
    "for another point": (lambda target: [issuing_point(name="http://crl.example.com/other.crl")], False),
    "for a point": (lambda target: [issuing_point(name=URL)], None),
    "with an empty scope": (lambda target: [issuing_point()], None),
    "indirect": (lambda target: [issuing_point(is_indirect=True)], None),
    "with a critical unknown extension": (lambda target: [extension("1.2.3.4", null(), True)], False),
    "indirect for a point": (lambda target: [issuing_point(name=URL, is_indirect=True)], None),
    "with a delta indicator": (lambda target: [extension(DELTA_INDICATOR, integer(3), True)], None),
}
KINDS = {"server": "user", "issuing": "authority"}
# What is done to a list, and whether it is still genuine.
LIST_FORMS = {
    "": ({}, True),
    "over SHA-1": ({"digest": "sha1"}, True),
    "damaged": ({"is_damaged": True}, False),
    "of version 1": ({"version": b""}, None),
    "of version 3": ({"version": integer(2)}, None),
    "with another key's identifier": ({"key_identifier": b"\x05" * 20}, None),
    "without a number": ({"number": None}, None),
    "with two algorithms": ({"outer_algorithm": sequence()}, None),
}
STATUSES = {"good": GOOD, "revoking": REVOKED, "unknowing": NOTHING}
WHOSE = {
    "": True,
    "by SHA-256": True,
    "by SHA-384": True,
    "of another serial": False,
    "of another name": False,
    "of another key": False,
}
# What is odd about the answers, and whether the response is still genuine.
ANSWERS = {
    "": True,
    "behind a broken sibling": None,
    "before a broken sibling": None,
    "before a revoking sibling": True,
    "behind a stranger's answer": True,
    "with a critical extension": None,
    "without answers": None,
}
RESPONSE_FORMS = {
    "": ({}, True),
    "over SHA-1": ({"digest": "sha1"}, True),
    "damaged": ({"is_damaged": True}, False),
    "that failed": ({"status": 2}, False),
    "of another type": ({"kind": "1.2.3.4"}, False),
    "with a critical unknown extension": ({"extensions": [extension("1.2.3.4", null(), True)]}, None),
    "produced in the future": ({"produced": NOW + 10 * DAY}, False),
    "naming another responder": ({"responder": responder_key(b"\x09" * 20)}, None),
    "naming the responder's key": ({}, True),
}
WORDS = {
    "list": {"says": CONTENTS, "signer": signers.LISTS, "time": TIMES, "scope": SCOPES, "form": LIST_FORMS},
    "response": {
        "says": STATUSES,
        "signer": signers.RESPONSES,
        "time": TIMES,
        "whose": WHOSE,
        "answers": ANSWERS,
        "form": RESPONSE_FORMS,
    },
}


def plain(kind, target):
    return Evidence(kind, target, tuple(PLAIN[kind].items()))
