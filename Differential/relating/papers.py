"""Evidence for hierarchies: lists and responses, genuine ones, ones of strangers, and writings of the same."""

import functools

from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

from mutator import certificate as cert
from mutator import der
from mutator.certificate import DAY, NOW
from mutator.evidence import Answer, List, Response, certificate_identifier, entry, responder_key, responder_name
from mutator.keys import CURVES, key
from mutator.signers import end_entity

from .hierarchy import Signer

YOUNG, USUAL, OLD, STALE = (
    {"this_update": start, "next_update": end}
    for start, end in (
        (NOW - 3600, NOW + 6 * DAY),
        (NOW - DAY, NOW + 6 * DAY),
        (NOW - 5 * DAY, NOW + DAY),
        (NOW - 30 * DAY, NOW - 20 * DAY),
    )
)


def made_list(issuer, serials=(), when=USUAL, signing_key=None, number=7):
    """A list of the issuer's that revokes the serial numbers."""
    entries = [entry(serial) for serial in serials]
    return List(issuer.subject, signing_key or issuer.key, entries, number=number, **when).signed()


def made_response(issuer, serial, status="good", when=USUAL, delegate=None, signing_key=None):
    """A response about one of the issuer's certificates, of the issuer or of a delegate's key."""
    identifier = certificate_identifier(issuer.subject, issuer.key.bits, serial)
    own, certificates, responder = signing_key or issuer.key, [], responder_key(issuer.key.identifier)
    if delegate:
        own, certificates = delegate, [_delegate(issuer, delegate)]
        responder = responder_name(cert.name("Responder"))
    answers = [Answer(identifier, status, **when)]
    return Response(answers, own, responder, certificates, produced=when["this_update"]).signed()


@functools.lru_cache(maxsize=512)
def _delegate(issuer, own):
    made = end_entity(cert.name("Responder"), issuer, own, cert.DIGITAL_SIGNATURE, usage=cert.OCSP_SIGNING)
    return made.add(cert.NO_CHECK, der.null()).signed()


def add_evidence(case, choice):
    """The case's question in a mode of its own, with evidence of most of those that signed."""
    mode = choice.choices(("off", "soft", "hard"), (4, 3, 3))[0]
    if mode == "off":
        return case
    lists, responses = [], []
    revoking = choice.choice((0, 0, 0.1))
    for issuer, signed in case.signers().items():
        when = choice.choices((YOUNG, USUAL, OLD, STALE), (2, 6, 1, 0.3))[0]
        if choice.random() < 0.9:
            lists.append(made_list(issuer, [item.serial for item in signed if choice.random() < revoking], when))
        for item in signed:
            if choice.random() < 0.3:
                status = "revoked" if choice.random() < revoking else "good"
                delegate = choice.choice((None, key("delegate", "P-256"), key("delegate", "P-384")))
                responses.append(made_response(issuer, item.serial, status, when, delegate))
    case.question = case.question.but(revocation=mode, lists=lists, responses=responses)
    return case


STRANGER = Signer(cert.name("Stranger"), key("stranger's"))
KINDS = ("P-256", "P-384", "P-521")


@functools.lru_cache(maxsize=None)
def strange_certificates():
    """A root, authorities and servers that have nothing to do with any case."""
    root = cert.authority(STRANGER.subject, STRANGER.subject, STRANGER.key, STRANGER.key, is_root=True)
    made = [root.signed()]
    for number in range(8):
        own = Signer(cert.name(f"Strange authority {number}"), key(f"strange {number}", KINDS[number % 3]))
        made.append(cert.authority(own.subject, STRANGER.subject, own.key, STRANGER.key, serial=number + 5).signed())
        made.append(cert.server(own, host=f"host{number}.example.net").signed())
    return made


@functools.lru_cache(maxsize=None)
def strange_evidence():
    """Lists and responses of those strangers, about their own certificates."""
    lists, responses = [], []
    for number in range(8):
        own = Signer(cert.name(f"Strange authority {number}"), key(f"strange {number}", KINDS[number % 3]))
        lists.append(made_list(own, [0x3003] if number % 2 else []))
        delegate = key(f"strange delegate {number}", KINDS[number % 3]) if number % 2 else None
        responses.append(made_response(own, 0x3003, "revoked" if number % 3 else "good", delegate=delegate))
    return lists, responses


def noise(case, choice, count):
    """Lists and responses in the names of a case's issuers, signed with keys of strangers, which they name."""
    lists, responses = [], []
    signers = list(case.signers().items())
    for number in range(count):
        issuer, signed = choice.choice(signers)
        item = choice.choice(signed)
        kind = choice.choice((issuer.key.kind, "P-256")) if issuer.key.kind in CURVES else "P-256"
        stranger = key(f"noise {number % 4}", kind)
        foreign = Signer(issuer.subject, stranger)
        if choice.random() < 0.5:
            lists.append(made_list(foreign, [item.serial] if choice.random() < 0.5 else [], YOUNG))
        elif choice.random() < 0.5:
            responses.append(made_response(foreign, item.serial, choice.choice(("good", "revoked")), YOUNG))
        else:
            responses.append(_impostor(issuer, stranger, item, choice))
    return {"lists": lists, "responses": responses}


def forgeries(case, choice, count):
    """Lists and responses that name the issuers and their keys, and were signed by others: only a signature tells."""
    lists, responses = [], []
    signers = list(case.signers().items())
    for number in range(count):
        issuer, signed = choice.choice(signers)
        forger = key(f"noise {number % 4}", issuer.key.kind if issuer.key.kind in CURVES else "P-256")
        if choice.random() < 0.5:
            made = List(issuer.subject, forger, number=number + 1, key_identifier=issuer.key.identifier, **YOUNG)
            lists.append(made.signed())
        else:
            serial = choice.choice(signed).serial
            responses.append(made_response(issuer, serial, "good", YOUNG, signing_key=forger))
    return {"lists": lists, "responses": responses}


def _impostor(issuer, stranger, item, choice):
    """The issuer's certificate is meant, and a delegate answers that a stranger made in the issuer's name."""
    identifier = certificate_identifier(issuer.subject, issuer.key.bits, item.serial)
    own = key("impostor's delegate", choice.choice(KINDS))
    answers = [Answer(identifier, choice.choice(("good", "revoked")), **YOUNG)]
    responder = responder_name(cert.name("Responder"))
    return Response(answers, own, responder, [_delegate(Signer(issuer.subject, stranger), own)], NOW - 3600).signed()


def rewritten(data, signing_key):
    """Another writing of what is not signed: ECDSA's other signature, or RSA's algorithm without NULL; or None."""
    body, algorithm, signature = (whole for _, _, whole in der.children(der.children(data)[0][1]))
    if signing_key.kind in CURVES:
        order = CURVES[signing_key.kind].group_order
        try:
            r, s = decode_dss_signature(der.children(signature)[0][1][1:])
        except ValueError:
            return None  # It is forged.
        return der.sequence(body, algorithm, der.bits(encode_dss_signature(r, order - s)))
    if algorithm.endswith(der.null()):
        return der.sequence(body, der.sequence(der.children(der.children(algorithm)[0][1])[0][2]), signature)
    return None
