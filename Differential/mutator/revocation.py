"""Situations about revocation: who says what about whom, with what right, and when.

A situation is made of pieces of evidence, each described by a few words from tables; so it can be told what is odd
about it, and it can be made simpler word by word.
"""

import dataclasses
import functools

from . import signers
from .certificate import (
    DISTRIBUTION_POINTS,
    EXTENDED_KEY_USAGE,
    KEY_USAGE,
    NAME_CONSTRAINTS,
    NO_CHECK,
    OCSP_SIGNING,
    SERVER_AUTH,
    intermediate,
    root,
    server,
    usages,
)
from .der import context, integer, named_bits, null, sequence, tlv
from .evidence import Answer, List, Response, certificate_identifier, extension, responder_key, responder_name
from .families import source
from .judges import PROFILES
from .revocation_oracle import oracle
from .situation import Situation
from .words import CONTENTS, LIST_FORMS, OTHER, PLAIN, RESPONSE_FORMS, SCOPES, SERIALS, TIMES, URL, WORDS, plain


@dataclasses.dataclass
class Path:
    """Root, issuing authority and server, before they are signed."""

    root: object
    issuing: object
    server: object

    def issuer(self, target):
        return self.issuing if target == "server" else self.root


def _no_check(place):
    return lambda path: getattr(path, place).add(NO_CHECK, null())


def _names_point(path):
    path.server.add(DISTRIBUTION_POINTS, sequence(sequence(context(0, context(0, tlv(0x86, URL.encode()))))))


def _names_issuer(path):
    path.server.add(DISTRIBUTION_POINTS, sequence(sequence(context(2, context(4, signers.LIST_ISSUER)))))


def _responds_itself(path):
    path.server.add(NO_CHECK, null()).put(EXTENDED_KEY_USAGE, usages(SERVER_AUTH, OCSP_SIGNING))


ODDITIES = {
    "": lambda path: None,
    "server with no check": _no_check("server"),
    "issuing with no check": _no_check("issuing"),
    "server names a point": _names_point,
    "server names a list issuer": _names_issuer,
    "server with no check and OCSP signing": _responds_itself,
    "issuing without cRLSign": lambda path: path.issuing.put(KEY_USAGE, named_bits(0, 5), True),
    "issuing without key usage": lambda path: path.issuing.put(KEY_USAGE),
    "issuing constrained": lambda path: path.issuing.put(
        NAME_CONSTRAINTS, sequence(context(0, sequence(tlv(0x82, b"example.com")))), True
    ),
}


def made_list(evidence, path):
    """The list in DER with the certificates that come along, and the lists about those."""
    key, issuer, along, *papers = signers.LISTS[evidence["signer"]][0](path, evidence.target)
    start, end, _ = TIMES[evidence["time"]]
    form = dict(LIST_FORMS[evidence["form"]][0])
    if "outer_algorithm" in form:
        form["outer_algorithm"] = key.algorithm("sha384")
    entries = CONTENTS[evidence["says"]][0](SERIALS[evidence.target], path.issuer(evidence.target).subject)
    scope = SCOPES[evidence["scope"]][0](evidence.target)
    return List(issuer, key, entries, start, end, extensions=scope, **form).signed(), along, papers


def made_response(evidence, path):
    key, name, certificates = signers.RESPONSES[evidence["signer"]][0](path, evidence.target)
    start, _, _ = TIMES[evidence["time"]]
    form = RESPONSE_FORMS[evidence["form"]][0]
    by_key = evidence["form"] == "naming the responder's key"
    settings = {
        "responder": responder_key(key.identifier) if by_key else responder_name(name),
        "produced": start,
        **form,
    }
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
        "behind a broken sibling": [broken, answer],
        "before a broken sibling": [answer, broken],
        "without answers": [],
        "before a revoking sibling": [answer, Answer(own(SERIALS[evidence.target]), "revoked", start, end)],
        "behind a stranger's answer": [Answer(own(OTHER), "revoked"), answer],
    }.get(evidence["answers"], [answer])


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
        spec.label,
        path.server.signed(),
        [path.root.signed()],
        [path.issuing.signed(), *along],
        revocation=spec.mode,
        lists=[der for der, _, _ in lists] + papers,
        responses=responses,
        oracles={profile: oracle(spec, profile) for profile in PROFILES},
        simpler=lambda: (functools.partial(situation, plainer) for plainer in spec.simpler()),
    )


def _piece(choice, target):
    """A piece of evidence with at most three odd words."""
    kind = choice.choice(["list", "response"])
    made = plain(kind, target)
    for attribute in choice.sample(list(PLAIN[kind]), choice.choice([0, 1, 1, 1, 2, 2, 3])):
        made = made.but(**{attribute: choice.choice(list(WORDS[kind][attribute]))})
    return made


def _indirect(choice):
    """A list issuer that the server names, and its indirect list."""
    says = choice.choice(["clean", "revoking", "revoking in the issuer's name", "naming another"])
    made = plain("list", "server").but(signer="of a list issuer", scope="indirect", says=says)
    if choice.random() < 0.5:
        attribute = choice.choice(["time", "form", "signer", "scope"])
        made = made.but(**{attribute: choice.choice(list(WORDS["list"][attribute]))})
    return [made], "server names a list issuer"


def _delta(choice):
    """A complete list and a delta list to it."""
    says = choice.choices(list(WORDS["list"]["says"]), k=2)
    complete, delta = (plain("list", "server").but(says=word) for word in says)
    delta = delta.but(scope="with a delta indicator", time=choice.choice(["", "younger", "stale", "older"]))
    return [complete.but(time=choice.choice(["", "", "stale", "older"])), delta], ""


def revocation(seed, number):
    """Evidence about the server, and sometimes about its issuer, of which some is odd."""
    choice = source(seed, "revocation", number)
    if choice.random() < 0.12:
        evidence, oddity = choice.choice([_indirect, _delta])(choice)
        return situation(Spec((plain("list", "issuing"), *evidence), choice.choice(["hard", "soft"]), oddity))
    evidence = []
    for target in SERIALS:
        if target == "issuing" and choice.random() < 0.8:
            evidence.append(plain("list", target))
        else:
            evidence += [_piece(choice, target) for _ in range(choice.choice([1, 1, 1, 2, 2, 3]))]
    choice.shuffle(evidence)
    oddity = choice.choice(list(ODDITIES)) if choice.random() < 0.3 else ""
    return situation(Spec(tuple(evidence), choice.choice(["hard", "hard", "hard", "soft"]), oddity))
