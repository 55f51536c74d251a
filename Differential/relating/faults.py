"""Faults that are put into a path which keeps all rules, and the codes that name them."""

import dataclasses

from mutator import certificate as cert
from mutator import der
from mutator.certificate import DAY, NOW, SUBJECT_KEY
from mutator.extensions import constraints, policy
from mutator.judges import PROFILES
from mutator.keys import PSS, key

from . import papers
from .hierarchy import Signer, question
from .trial import Question

LINKED = ("apple", "webpki", "rfc5280-strict")


@dataclasses.dataclass
class Fault:
    """`put` gets the question, the certificates from the anchor down before they are signed, and a random source.

    It changes the certificates, or gives another question.
    """

    put: object
    codes: tuple
    # Words of what is said, for a code that stands behind another one.
    words: str = ""
    profiles: tuple = PROFILES

    def apply(self, good, made, choice):
        made = [item.clone() for item in made]
        changed = self.put(good, made, choice)
        return changed if isinstance(changed, Question) else question(made, good.profile)

    def is_named(self, answer):
        return answer.reason in self.codes or bool(self.words) and self.words in answer.detail


def _leaf(change):
    return lambda good, made, choice: change(made[-1])


def _issuer(change):
    """One of the authorities below the anchor."""
    return lambda good, made, choice: change(choice.choice(made[1:-1]))


def _below(change):
    """Any certificate below the anchor."""
    return lambda good, made, choice: change(choice.choice(made[1:]))


def _set(**fields):
    def change(made):
        for field, value in fields.items():
            setattr(made, field, value)

    return change


def _put(kind, value=None, critical=None):
    def change(made):
        made.put(kind, value, critical)

    return change


def _flipped(signature):
    return der.bits(signature[:-1] + bytes([signature[-1] ^ 1]))


def _twice(made):
    made.extensions.append(made.extensions[0])


def _foreign_key(made):
    made.inner_algorithm = made.signing_key.algorithm(made.digest)
    made.signing_key = key("shared 0" if made.signing_key.kind.startswith("RSA") else "forger", made.signing_key.kind)


def _for_another_host(made):
    """The common name as well: for `webpki` it is one of the alternative names."""
    made.subject = cert.name("other.example.com")
    made.put(cert.ALTERNATIVE_NAME, der.sequence(cert.dns("other.example.com")))


def _short_key(made):
    made.key = key("short", "RSA-1024")
    made.spki = made.key.spki
    made.put(SUBJECT_KEY, der.octets(made.key.identifier))


def _with_pss(good, made, choice):
    made[-2].key = made[-1].signing_key = key("shared 1", "RSA-2048")
    made[-2].spki = made[-2].key.spki
    made[-2].put(SUBJECT_KEY, der.octets(made[-2].key.identifier))
    made[-1].put(cert.AUTHORITY_KEY, cert.authority_key(made[-2].key.identifier))
    made[-1].digest = PSS


def _too_deep(good, made, choice):
    made[0].put(cert.BASIC_CONSTRAINTS, der.sequence(der.boolean(True), der.integer(len(made) - 3)), True)
    made[1].put(cert.BASIC_CONSTRAINTS, der.sequence(der.boolean(True), der.integer(len(made) - 4)), True)


def _no_common_policy(good, made, choice):
    made[1].put(cert.POLICIES, policy("1.2.5")).put(
        cert.POLICY_CONSTRAINTS, der.sequence(der.context(0, b"\x00", constructed=False)), True
    )
    made[-1].put(cert.POLICIES, policy("1.2.6"))


def _revoked(good, made, choice):
    at = choice.randrange(1, len(made))
    above = Signer(made[at - 1].subject, made[at - 1].key)
    serial = int.from_bytes(der.children(made[at].serial)[0][1], "big")
    return good.but(revocation="soft", lists=[papers.made_list(above, [serial])])


FAULTS = {
    "expired": Fault(_below(_set(not_after=der.time(NOW - 1))), ("expired",), "expired"),
    "not yet valid": Fault(_below(_set(not_before=der.time(NOW + 1))), ("not-yet-valid",)),
    "a damaged signature": Fault(_below(_set(change_signature=_flipped)), ("bad-signature",)),
    "signed by another key": Fault(_below(_foreign_key), ("bad-signature",)),
    "another host": Fault(_leaf(_for_another_host), ("name-mismatch",)),
    "a leaf for clients": Fault(
        _leaf(_put(cert.EXTENDED_KEY_USAGE, cert.usages(cert.CLIENT_AUTH))), ("eku", "server-auth-missing")
    ),
    "an authority for mail": Fault(
        _issuer(_put(cert.EXTENDED_KEY_USAGE, cert.usages(cert.EMAIL_PROTECTION))), ("eku",)
    ),
    "an issuer without keyCertSign": Fault(
        _issuer(_put(cert.KEY_USAGE, der.named_bits(cert.DIGITAL_SIGNATURE, cert.CRL_SIGN))),
        ("key-usage",),
        "keyCertSign",
    ),
    "an issuer that is no authority": Fault(
        _issuer(_put(cert.BASIC_CONSTRAINTS, der.sequence())), ("not-a-ca",), "not a certificate authority"
    ),
    "an issuer without basic constraints": Fault(
        _issuer(_put(cert.BASIC_CONSTRAINTS)), ("basic-constraints-missing",), "basic constraints"
    ),
    "too long a path": Fault(_too_deep, ("path-length",)),
    "a critical extension": Fault(_below(lambda made: made.add("1.2.3.4", der.null(), True)), ("critical-extension",)),
    "an extension twice": Fault(_below(_twice), ("duplicate-extension", "malformed", "unknown-issuer"), "twice"),
    "names outside": Fault(
        _issuer(_put(cert.NAME_CONSTRAINTS, constraints([cert.dns("example.org")]), True)), ("name-constraints",)
    ),
    "names excluded": Fault(
        _issuer(_put(cert.NAME_CONSTRAINTS, constraints(excluded=[cert.dns("www.example.com")]), True)),
        ("name-constraints",),
    ),
    "no policy in common": Fault(_no_common_policy, ("policy",)),
    "an anchor of others": Fault(
        lambda good, made, choice: good.but(roots=papers.strange_certificates()[:1]),
        ("unknown-issuer", "untrusted-root"),
    ),
    "the root sent and not trusted": Fault(
        lambda good, made, choice: good.but(roots=[], intermediates=good.intermediates + good.roots),
        ("untrusted-root",),
        "self-signed and not trusted",
    ),
    "a missing issuer": Fault(
        lambda good, made, choice: good.without(choice.choice(good.intermediates)), ("unknown-issuer",)
    ),
    "SHA-1": Fault(_below(_set(digest="sha1")), ("weak-signature",), profiles=PROFILES[:-1]),
    "a short key": Fault(_leaf(_short_key), ("key-too-small", "weak-key"), profiles=PROFILES[:-1]),
    "RSASSA-PSS at Apple": Fault(_with_pss, ("unsupported-signature-algorithm",), "PSS", ("apple",)),
    "key identifiers that differ": Fault(
        _below(_put(cert.AUTHORITY_KEY, cert.authority_key(b"\x07" * 20))),
        ("key-identifier-mismatch",),
        profiles=LINKED,
    ),
    "no subject and no critical name": Fault(
        _leaf(_set(subject=der.sequence())), ("empty-subject",), "empty subject"
    ),
    "a lifetime that is too long": Fault(
        _leaf(_set(not_before=der.time(NOW - 800 * DAY), not_after=der.time(NOW + 800 * DAY))),
        ("lifetime-too-long",),
        profiles=("apple",),
    ),
    "fewer intermediates allowed": Fault(
        lambda good, made, choice: good.with_more(max_depth=len(made) - 3),
        ("too-many-intermediates", "path-length"),
    ),
    "another leaf pinned": Fault(
        lambda good, made, choice: good.with_more(leaf_pins=["A" * 43 + "="]), ("leaf-key-not-pinned",), "pin"
    ),
    "another authority pinned": Fault(
        lambda good, made, choice: good.with_more(ca_pins=["A" * 43 + "="]), ("authority-key-not-pinned",), "pin"
    ),
    "revoked": Fault(_revoked, ("revoked",)),
    "no evidence": Fault(lambda good, made, choice: good.but(revocation="hard"), ("revocation-unknown",)),
}
