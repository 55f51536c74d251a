"""Who signs evidence: those who may, those who may under conditions, and impostors.

A signer gives its key, the name it goes by, the certificates that come along and lists about those. Beside it stands
whether what it signs is genuine: True, False, or None where the rules can be read both ways; for responses, also
whether it is too weak.
"""

from .certificate import (
    ALTERNATIVE_NAME,
    ANY_USAGE,
    AUTHORITY_KEY,
    BASIC_CONSTRAINTS,
    CERT_SIGN,
    CRL_SIGN,
    DAY,
    DIGITAL_SIGNATURE,
    EMAIL_PROTECTION,
    EXTENDED_KEY_USAGE,
    KEY_AGREEMENT,
    KEY_USAGE,
    NAME_CONSTRAINTS,
    NO_CHECK,
    NON_REPUDIATION,
    NOW,
    OCSP_SIGNING,
    SERVER_AUTH,
    Certificate,
    authority,
    authority_key,
    dns,
    name,
    usages,
)
from .der import boolean, named_bits, null, octets, sequence, time
from .evidence import List
from .extensions import constraints
from .keys import key

SUBJECT_KEY = "2.5.29.14"


def _issuer(path, target):
    issuer = path.issuer(target)
    return issuer.key, issuer.subject, []


def end_entity(subject, issuer, own, *bits, usage=None, serial=0x5005):
    """A certificate that is no authority's; `issuer` has a subject and a key."""
    made = Certificate(subject, issuer.subject, own, issuer.key, serial)
    made.add(KEY_USAGE, named_bits(*bits), critical=True).add(BASIC_CONSTRAINTS, sequence(), critical=True)
    if usage:
        made.add(EXTENDED_KEY_USAGE, usages(usage))
    made.add(SUBJECT_KEY, octets(own.identifier))
    return made.add(AUTHORITY_KEY, authority_key(issuer.key.identifier))


def _constrained(path):
    """An authority below the same root that may issue for mail at one domain alone."""
    made = authority(name("Test mail"), path.root.subject, key("mail"), path.root.key, serial=0x6006)
    made.add(EXTENDED_KEY_USAGE, usages(EMAIL_PROTECTION))
    return made.add(NAME_CONSTRAINTS, constraints([dns("attacker.example")]), critical=True)


def _stranger(path, target):
    return key("stranger"), path.issuer(target).subject, []


def _papers(above):
    """What a checker asks about an impostor before it believes it: its issuer's own list, which is genuine."""
    return List(above.subject, above.key).signed()


def _neighbor(path, target):
    """An end entity of a constrained authority with the issuer's name and cRLSign."""
    above, own = _constrained(path), key("neighbor")
    impostor = end_entity(path.issuer(target).subject, above, own, DIGITAL_SIGNATURE, CRL_SIGN)
    return own, path.issuer(target).subject, [above.signed(), impostor.signed()], _papers(above)


def _neighbor_authority(path, target):
    """The same, but an authority."""
    above, own = _constrained(path), key("neighbor authority")
    impostor = authority(path.issuer(target).subject, above.subject, own, above.key, serial=0x6116)
    return own, path.issuer(target).subject, [above.signed(), impostor.signed()], _papers(above)


def _sibling_end_entity(path, target):
    """An end entity of an unconstrained sibling, with the issuer's name and cRLSign."""
    above = authority(name("Test sibling"), path.root.subject, key("sibling"), path.root.key, serial=0x6226)
    own = key("sibling's")
    impostor = end_entity(path.issuer(target).subject, above, own, DIGITAL_SIGNATURE, CRL_SIGN)
    return own, path.issuer(target).subject, [above.signed(), impostor.signed()], _papers(above)


def _own_end_entity(path, target):
    """An end entity the issuer itself made, with its own name and cRLSign."""
    issuer, own = path.issuer(target), key("own list signer")
    signer = end_entity(issuer.subject, issuer, own, DIGITAL_SIGNATURE, CRL_SIGN)
    return own, issuer.subject, [signer.signed()]


def _own_without_usage(path, target):
    issuer, own = path.issuer(target), key("own without")
    signer = end_entity(issuer.subject, issuer, own, DIGITAL_SIGNATURE)
    return own, issuer.subject, [signer.signed()]


def _customer(path, target):
    """The server's own key, in the issuer's name."""
    return path.server.key, path.issuer(target).subject, []


def _roll_over(path, target):
    """The issuer's next key, certified with the one before (RFC 4210 §4.4)."""
    issuer, own = path.issuer(target), key("next")
    made = authority(issuer.subject, issuer.subject, own, issuer.key, serial=0x7007)
    return own, issuer.subject, [made.signed()]


def _renewed(path, target):
    """Another certificate from the root with the issuer's name and another key."""
    own = key("renewed")
    made = authority(path.issuer(target).subject, path.root.subject, own, path.root.key, serial=0x7117)
    return own, path.issuer(target).subject, [made.signed()]


def _expired_namesake(path, target):
    own = key("expired")
    made = authority(path.issuer(target).subject, path.root.subject, own, path.root.key, serial=0x7227)
    made.not_after = time(NOW - DAY)
    return own, path.issuer(target).subject, [made.signed()]


def _above(path, target):
    """The root, in the name of what is below it."""
    if target == "issuing":
        return key("stranger"), path.root.subject, []
    return path.root.key, path.issuing.subject, []


def _roots_own(path, target):
    """A list of the root's own, which is about other certificates."""
    return path.root.key, path.root.subject, []


LIST_ISSUER = name("Test list issuer")


def _list_issuer(path, target):
    """One of the root's with a name of its own, which distribution points name (RFC 5280 §4.2.1.13)."""
    own = key("list issuer")
    made = end_entity(LIST_ISSUER, path.root, own, DIGITAL_SIGNATURE, CRL_SIGN, serial=0x7337)
    return own, LIST_ISSUER, [made.signed()]


LISTS = {
    "of a list issuer": (_list_issuer, None),
    "": (_issuer, True),
    "of a stranger": (_stranger, False),
    "of an impostor below a constrained CA": (_neighbor, False),
    "of an impostor CA below a constrained CA": (_neighbor_authority, False),
    "of an impostor below a sibling CA": (_sibling_end_entity, False),
    "of a list signer the issuer made": (_own_end_entity, None),
    "of one without cRLSign that the issuer made": (_own_without_usage, False),
    "of the server": (_customer, False),
    "of the issuer's next key": (_roll_over, None),
    "of a namesake from the root": (_renewed, None),
    "of an expired namesake": (_expired_namesake, False),
    "of the authority above": (_above, False),
    "of the root in its own name": (_roots_own, None),
}


def _responder(path, target, change=None, issuer=None, kind="P-256", bits=(DIGITAL_SIGNATURE,), usage=OCSP_SIGNING):
    issuer = issuer or path.issuer(target)
    own = key("responder", kind)
    made = end_entity(name("Test responder"), issuer, own, *bits, usage=usage)
    made.add(NO_CHECK, null())
    if change:
        change(made)
    return own, made.subject, [made.signed()]


def _delegate(**more):
    """A delegate with something odd about it."""
    return lambda path, target: _responder(path, target, **more)


def _set(field, value):
    return lambda certificate: setattr(certificate, field, value)


CA = sequence(boolean(True))


def _put(kind, value=None, critical=None):
    return lambda certificate: certificate.put(kind, value, critical)


def _foreign_delegate(path, target):
    """A delegate that the other authority of the path made."""
    other = path.root if target == "server" else path.issuing
    return _responder(path, target, issuer=other)


def _impostor_delegate(path, target):
    """A delegate with the issuer's name above it and a stranger's signature."""
    issuer = path.issuer(target)
    fake = authority(issuer.subject, path.root.subject, key("stranger"), path.root.key)
    return _responder(path, target, issuer=fake)


def _server_responder(path, target):
    return path.server.key, path.server.subject, [path.server.signed()]


RESPONSES = {
    "": (_issuer, True, False),
    "of a delegate": (_delegate(), True, False),
    "of a stranger": (_stranger, False, False),
    "of the server": (_server_responder, False, False),
    "of another CA's delegate": (_foreign_delegate, False, False),
    "of an impostor's delegate": (_impostor_delegate, False, False),
    "of a delegate without the usage": (_delegate(usage=SERVER_AUTH), False, False),
    "of a delegate without usages": (_delegate(usage=None), False, False),
    "of a delegate for anything": (_delegate(usage=ANY_USAGE), False, False),
    "of a delegate with nonRepudiation alone": (_delegate(bits=(NON_REPUDIATION,)), None, False),
    "of a delegate with keyAgreement alone": (_delegate(bits=(KEY_AGREEMENT,)), False, False),
    "of a delegate without key usage": (_delegate(change=_put(KEY_USAGE)), None, False),
    "of a delegate that is a CA": (
        _delegate(bits=(DIGITAL_SIGNATURE, CERT_SIGN, CRL_SIGN), change=_put(BASIC_CONSTRAINTS, CA, True)),
        None,
        False,
    ),
    "of a delegate that is a CA without key usage": (
        _delegate(change=lambda made: made.put(BASIC_CONSTRAINTS, CA, True).put(KEY_USAGE)),
        None,
        False,
    ),
    "of an expired delegate": (_delegate(change=_set("not_after", time(NOW - 2 * DAY))), False, False),
    "of a delegate of the future": (_delegate(change=_set("not_before", time(NOW + DAY))), False, False),
    "of a delegate to be checked": (_delegate(change=_put(NO_CHECK)), None, False),
    "of a delegate with a critical unknown extension": (
        _delegate(change=lambda made: made.add("1.2.3.4", null(), True)),
        False,
        False,
    ),
    "of a delegate over SHA-1": (_delegate(change=_set("digest", "sha1")), True, True),
    "of a delegate with a short key": (_delegate(kind="RSA-1024"), True, True),
    "of a delegate with another host": (
        _delegate(change=lambda made: made.add(ALTERNATIVE_NAME, sequence(dns("ocsp.example.org")))),
        None,
        False,
    ),
}
