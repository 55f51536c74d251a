"""Situations about revocation: who says what about whom, with what right, and when.

A situation is made of pieces of evidence, each described by a few words from tables; so it can be told what is odd about
it, and it can be made simpler word by word. From the words alone, without looking at a certificate, a naive oracle says
what must be refused: a certificate that its issuer's youngest genuine evidence revokes, and, in mode hard, one that
no genuine and current evidence clears. True, False and None stand for yes, no, and "the rules can be read both ways".
"""
import dataclasses
import functools

from . import signers
from .certificate import (
    DAY, DISTRIBUTION_POINTS, EXTENDED_KEY_USAGE, KEY_USAGE, NAME_CONSTRAINTS, NO_CHECK, NOW, OCSP_SIGNING, SERVER_AUTH,
    intermediate, root, server, usages)
from .der import context, integer, named_bits, null, sequence, tlv
from .evidence import (
    DELTA_INDICATOR, Answer, List, Response, certificate_identifier, entry, extension, issuing_point, reason,
    responder_key, responder_name)
from .families import source
from .situation import Situation

URL = "http://crl.example.com/list.crl"
GOOD, REVOKED, NOTHING = "good", "revoked", "nothing"
PROFILES = ("apple", "webpki", "rfc5280", "legacy")
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
        return [self.but(**{attribute: plain}) for attribute, plain in PLAIN[self.kind].items() if self[attribute] != plain]


@dataclasses.dataclass
class Path:
    """Root, issuing authority and server, before they are signed."""

    root: object
    issuing: object
    server: object

    def issuer(self, target):
        return self.issuing if target == "server" else self.root


SERIALS = {"server": 0x3003, "issuing": 0x2002}
OTHER = 0x7777
# What a list says of a serial number: its entries, and what that means.
CONTENTS = {
    "clean": (lambda serial: [], GOOD),
    "naming another": (lambda serial: [entry(OTHER)], GOOD),
    "revoking": (lambda serial: [entry(serial)], REVOKED),
    "revoking among others": (lambda serial: [entry(OTHER), entry(serial), entry(OTHER + 1)], REVOKED),
    "revoking for a reason": (lambda serial: [entry(serial, NOW - 10 * DAY, reason(1))], REVOKED),
    "holding": (lambda serial: [entry(serial, NOW - 10 * DAY, reason(6))], REVOKED),
    "revoking behind an unreadable entry": (lambda serial: [sequence(integer(1), null()), entry(serial)], REVOKED),
    "revoking from tomorrow": (lambda serial: [entry(serial, NOW + DAY)], REVOKED),
    "revoking with a critical unknown extension": (
        lambda serial: [entry(serial, NOW - DAY, extension("1.2.3.4", null(), True))], REVOKED),
    "removing": (lambda serial: [entry(serial, NOW - DAY, reason(8))], NOTHING),
}
# When a list or an answer is from: start, end, and whether it is current.
TIMES = {
    "": (NOW - DAY, NOW + 6 * DAY, True), "younger": (NOW - 3600, NOW + 6 * DAY, True),
    "older": (NOW - 5 * DAY, NOW + DAY, True), "stale": (NOW - 30 * DAY, NOW - 20 * DAY, False),
    "of the future": (NOW + 10 * DAY, NOW + 20 * DAY, False), "without an end": (NOW - DAY, None, None),
    "old without an end": (NOW - 400 * DAY, None, None), "ending now": (NOW - DAY, NOW, None),
    "beginning now": (NOW, NOW + DAY, None), "ending before it begins": (NOW - DAY, NOW - 20 * DAY, False),
    "very old with a distant end": (NOW - 2000 * DAY, NOW + 2000 * DAY, None),
}
# The extensions of a list's scope, and whether the list then is about the target.
SCOPES = {
    "": (lambda target: [], True),
    "for its kind": (lambda target: [issuing_point(only=KINDS[target])], True),
    "for the other kind": (lambda target: [issuing_point(only=KINDS["issuing" if target == "server" else "server"])], False),
    "for attribute certificates": (lambda target: [issuing_point(only="attribute")], False),
    "for some reasons": (lambda target: [issuing_point(reasons=b"\x01\x60")], None),
    "for another point": (lambda target: [issuing_point(name="http://crl.example.com/other.crl")], False),
    "for a point": (lambda target: [issuing_point(name=URL)], None),
    "with an empty scope": (lambda target: [issuing_point()], None),
    "indirect": (lambda target: [issuing_point(is_indirect=True)], None),
    "with a critical unknown extension": (lambda target: [extension("1.2.3.4", null(), True)], False),
    "with a delta indicator": (lambda target: [extension(DELTA_INDICATOR, integer(3), True)], None),
}
KINDS = {"server": "user", "issuing": "authority"}
# What is done to a list, and whether it is still genuine.
LIST_FORMS = {
    "": ({}, True), "over SHA-1": ({"digest": "sha1"}, True), "damaged": ({"is_damaged": True}, False),
    "of version 1": ({"version": b""}, None), "of version 3": ({"version": integer(2)}, None),
    "with another key's identifier": ({"key_identifier": b"\x05" * 20}, None), "without a number": ({"number": None}, None),
    "with two algorithms": ({"outer_algorithm": sequence()}, None),
}
STATUSES = {"good": GOOD, "revoking": REVOKED, "unknowing": NOTHING}
WHOSE = {"": True, "by SHA-256": True, "by SHA-384": True, "of another serial": False, "of another name": False,
         "of another key": False}
# What is odd about the answers, and whether the response is still genuine.
ANSWERS = {"": True, "behind a broken sibling": None, "before a broken sibling": None, "before a revoking sibling": True,
           "behind a stranger's answer": True, "with a critical extension": None, "without answers": None}
RESPONSE_FORMS = {
    "": ({}, True), "over SHA-1": ({"digest": "sha1"}, True), "damaged": ({"is_damaged": True}, False),
    "that failed": ({"status": 2}, False), "of another type": ({"kind": "1.2.3.4"}, False),
    "with a critical unknown extension": ({"extensions": [extension("1.2.3.4", null(), True)]}, None),
    "produced in the future": ({"produced": NOW + 10 * DAY}, False),
    "naming another responder": ({"responder": responder_key(b"\x09" * 20)}, None),
    "naming the responder's key": ({}, True),
}
WORDS = {
    "list": {"says": CONTENTS, "signer": signers.LISTS, "time": TIMES, "scope": SCOPES, "form": LIST_FORMS},
    "response": {"says": STATUSES, "signer": signers.RESPONSES, "time": TIMES, "whose": WHOSE, "answers": ANSWERS,
                 "form": RESPONSE_FORMS},
}


def _no_check(place):
    return lambda path: getattr(path, place).add(NO_CHECK, null())


def _names_point(path):
    path.server.add(DISTRIBUTION_POINTS, sequence(sequence(context(0, context(0, tlv(0x86, URL.encode()))))))


def _responds_itself(path):
    path.server.add(NO_CHECK, null()).put(EXTENDED_KEY_USAGE, usages(SERVER_AUTH, OCSP_SIGNING))


ODDITIES = {
    "": lambda path: None, "server with no check": _no_check("server"), "issuing with no check": _no_check("issuing"),
    "server names a point": _names_point, "server with no check and OCSP signing": _responds_itself,
    "issuing without cRLSign": lambda path: path.issuing.put(KEY_USAGE, named_bits(0, 5), True),
    "issuing without key usage": lambda path: path.issuing.put(KEY_USAGE),
    "issuing constrained": lambda path: path.issuing.put(
        NAME_CONSTRAINTS, sequence(context(0, sequence(tlv(0x82, b"example.com")))), True),
}


def made_list(evidence, path):
    """The list in DER with the certificates that come along, and the lists about those."""
    key, issuer, along, *papers = signers.LISTS[evidence["signer"]][0](path, evidence.target)
    start, end, _ = TIMES[evidence["time"]]
    form = dict(LIST_FORMS[evidence["form"]][0])
    if "outer_algorithm" in form:
        form["outer_algorithm"] = key.algorithm("sha384")
    entries = CONTENTS[evidence["says"]][0](SERIALS[evidence.target])
    scope = SCOPES[evidence["scope"]][0](evidence.target)
    return List(issuer, key, entries, start, end, extensions=scope, **form).signed(), along, papers


def made_response(evidence, path):
    key, name, certificates = signers.RESPONSES[evidence["signer"]][0](path, evidence.target)
    start, _, _ = TIMES[evidence["time"]]
    form = RESPONSE_FORMS[evidence["form"]][0]
    by_key = evidence["form"] == "naming the responder's key"
    settings = {"responder": responder_key(key.identifier) if by_key else responder_name(name), "produced": start, **form}
    return Response(_answers(evidence, path), key, certificates=certificates, **settings).signed()


def _answers(evidence, path):
    issuer, whose = path.issuer(evidence.target), evidence["whose"]
    digest = {"by SHA-256": "sha256", "by SHA-384": "sha384"}.get(whose, "sha1")
    serial = OTHER if whose == "of another serial" else SERIALS[evidence.target]
    name = b"x" if whose == "of another name" else issuer.subject
    key = b"y" if whose == "of another key" else issuer.key.bits
    start, end, _ = TIMES[evidence["time"]]
    status = {"revoking": "revoked", "unknowing": "unknown"}.get(evidence["says"], "good")
    answer = Answer(certificate_identifier(name, key, serial, digest), status, start, end)
    if evidence["answers"] == "with a critical extension":
        answer.extensions = [extension("1.2.3.4", null(), True)]
    own = functools.partial(certificate_identifier, issuer.subject, issuer.key.bits)
    broken = sequence(integer(1))
    return {
        "behind a broken sibling": [broken, answer], "before a broken sibling": [answer, broken], "without answers": [],
        "before a revoking sibling": [answer, Answer(own(SERIALS[evidence.target]), "revoked", start, end)],
        "behind a stranger's answer": [Answer(own(OTHER), "revoked"), answer],
    }.get(evidence["answers"], [answer])


# MARK: What is known of evidence by its words

ROOTS_OWN = "of the root in its own name"


def _all(*values):
    return False if False in values else None if None in values else True


def meaning(evidence):
    """(what it says, whether it is genuine, whether it is current, whether it is weak, since when)."""
    start, _, current = TIMES[evidence["time"]]
    _, genuine, is_weak = signers.RESPONSES[evidence["signer"]] if evidence.kind == "response" else (
        *signers.LISTS[evidence["signer"]], False)
    is_weak = is_weak or evidence["form"] == "over SHA-1"
    if evidence.kind == "list":
        says, covers = CONTENTS[evidence["says"]][1], SCOPES[evidence["scope"]][1]
        if evidence["form"] == "of version 1":
            covers = None  # It has no extensions, so that its scope is not said either.
        if covers is False and says == GOOD:
            says = NOTHING
        doubt = None if covers is not True or evidence["says"].startswith("revoking with") else True
        return says, _all(genuine, LIST_FORMS[evidence["form"]][1], doubt), current, is_weak, start
    says = STATUSES[evidence["says"]]
    if evidence["answers"] == "before a revoking sibling":
        says = REVOKED
    if not WHOSE[evidence["whose"]] and says == GOOD:
        says = NOTHING
    doubt = True if WHOSE[evidence["whose"]] else None
    known = _all(genuine, ANSWERS[evidence["answers"]], RESPONSE_FORMS[evidence["form"]][1], doubt)
    return says, known, current, is_weak, start


def oracle(spec, profile):
    """What must be refused by what is known of the evidence; "accept" where nothing is open to question."""
    is_clear = not spec.oddity
    for target in SERIALS:
        known = [meaning(item) for item in spec.evidence if item.target == target]
        youngest = max((start for _, genuine, _, _, start in known if genuine is not False), default=0)
        revoking = [item for item in known if item[0] == REVOKED and item[1] is not False]
        if any(genuine and current and start >= youngest for _, genuine, current, _, start in revoking):
            return None if spec.oddity.startswith("issuing without") else f"revoked: {target}"
        clearing = [item for item in known if item[0] == GOOD and item[1] is not False and item[2] is not False
                    and not (item[3] and profile != "legacy")]
        # What the root says in its own name is about the authority below it, whomever it was made for.
        is_roots = any(item["signer"] == ROOTS_OWN for item in spec.evidence if item.kind == "list")
        if spec.mode == "hard" and not clearing and not (is_roots and target == "issuing"):
            return None if profile == "apple" and "no check" in spec.oddity else f"no status: {target}"
        is_clear = is_clear and not revoking and any(item[1] and item[2] for item in clearing)
    return "accept" if is_clear else None


# MARK: Situations

@dataclasses.dataclass(frozen=True)
class Spec:
    """A whole situation in words."""

    evidence: tuple
    mode: str
    oddity: str

    @property
    def label(self):
        parts = sorted(item.label for item in self.evidence if not item.is_given)
        if not any(item.target == "issuing" for item in self.evidence):
            parts.append("issuing: nothing")
        return " + ".join([f"mode {self.mode}", *parts, *([self.oddity] if self.oddity else [])])

    def simpler(self):
        """The situations with one thing less."""
        if self.oddity:
            yield dataclasses.replace(self, oddity="")
        for index, item in enumerate(self.evidence):
            before, after = self.evidence[:index], self.evidence[index + 1 :]
            if not item.is_given:
                yield dataclasses.replace(self, evidence=before + after)
            for plainer in item.simpler():
                yield dataclasses.replace(self, evidence=(*before, plainer, *after))


def situation(spec):
    top = root()
    below = intermediate(top)
    path = Path(top, below, server(below))
    ODDITIES[spec.oddity](path)
    lists = [made_list(item, path) for item in spec.evidence if item.kind == "list"]
    responses = [made_response(item, path) for item in spec.evidence if item.kind == "response"]
    along = list(dict.fromkeys(certificate for _, certificates, _ in lists for certificate in certificates))
    papers = list(dict.fromkeys(paper for _, _, papers in lists for paper in papers))
    return Situation(
        spec.label, path.server.signed(), [path.root.signed()], [path.issuing.signed(), *along], revocation=spec.mode,
        lists=[der for der, _, _ in lists] + papers, responses=responses,
        oracles={profile: oracle(spec, profile) for profile in PROFILES},
        simpler=lambda: (functools.partial(situation, plainer) for plainer in spec.simpler()))


def plain(kind, target):
    return Evidence(kind, target, tuple(PLAIN[kind].items()))


def _piece(choice, target):
    """A piece of evidence with at most three odd words."""
    kind = choice.choice(["list", "response"])
    made = plain(kind, target)
    for attribute in choice.sample(list(PLAIN[kind]), choice.choice([0, 1, 1, 1, 2, 2, 3])):
        made = made.but(**{attribute: choice.choice(list(WORDS[kind][attribute]))})
    return made


def revocation(seed, number):
    """Evidence about the server, and sometimes about its issuer, of which some is odd."""
    choice = source(seed, "revocation", number)
    evidence = []
    for target in SERIALS:
        if target == "issuing" and choice.random() < 0.8:
            evidence.append(plain("list", target))
        else:
            evidence += [_piece(choice, target) for _ in range(choice.choice([1, 1, 1, 2, 2, 3]))]
    choice.shuffle(evidence)
    oddity = choice.choice(list(ODDITIES)) if choice.random() < 0.3 else ""
    return situation(Spec(tuple(evidence), choice.choice(["hard", "hard", "hard", "soft"]), oddity))
