"""What must be refused by what is known of evidence, from its words alone and without looking at a certificate.

A certificate is revoked by its issuer's youngest genuine and current evidence, and in mode hard one is refused that
no genuine and current evidence clears (RFC 5280 §6.3.3, RFC 6960 §3.2).
"""

from . import signers
from .words import (
    ANSWERS,
    CONTENTS,
    GOOD,
    LIST_FORMS,
    NOTHING,
    RESPONSE_FORMS,
    REVOKED,
    SCOPES,
    SERIALS,
    STATUSES,
    TIMES,
    WHOSE,
)

ROOTS_OWN, LIST_ISSUERS = "of the root in its own name", "of a list issuer"
IN_ISSUERS_NAME, LIFTING = "revoking in the issuer's name", "removing"


def _all(*values):
    return False if False in values else None if None in values else True


def meaning(evidence):
    """(what it says, whether it is genuine, whether it is current, whether it is weak, since when)."""
    start, _, current = TIMES[evidence["time"]]
    _, genuine, is_weak = (
        signers.RESPONSES[evidence["signer"]]
        if evidence.kind == "response"
        else (*signers.LISTS[evidence["signer"]], False)
    )
    is_weak = is_weak or evidence["form"] == "over SHA-1"
    if evidence.kind == "list":
        says, covers = CONTENTS[evidence["says"]][1], SCOPES[evidence["scope"]][1]
        if evidence["form"] == "of version 1":
            covers = None  # It has no extensions, so that its scope is not said either.
        if covers is False and says == GOOD:
            says = NOTHING
        if evidence["signer"] == LIST_ISSUERS and evidence["says"] != IN_ISSUERS_NAME and says == REVOKED:
            says = GOOD  # The serial number is one of the list issuer's own (RFC 5280 §5.3.3).
        doubt = None if covers is not True or evidence["says"].startswith(("revoking with", "revoking in")) else True
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
        own = [item for item in spec.evidence if item.target == target]
        known = [meaning(item) for item in own]
        if _is_revoked(own, known):
            return None if spec.oddity.startswith("issuing without") else f"revoked: {target}"
        clearing = [item for item in known if _clears(item, profile)]
        # What the root says in its own name is about the authority below it, whomever it was made for.
        is_roots = target == "issuing" and any(
            item.kind == "list" and item["signer"] == ROOTS_OWN for item in spec.evidence
        )
        is_lifted = any(item["says"] == LIFTING for item in own)
        if spec.mode == "hard" and not clearing and not is_roots and not is_lifted:
            return None if profile == "apple" and "no check" in spec.oddity else f"no status: {target}"
        is_doubtful = any(says == REVOKED and genuine is not False for says, genuine, *_ in known)
        is_clear = is_clear and not is_doubtful and any(item[1] and item[2] and not item[3] for item in clearing)
    return "accept" if is_clear else None


def _is_revoked(evidence, known):
    """Whether the youngest of what may be genuine is, and revokes; a delta list may lift a hold."""
    if any(item["says"] == LIFTING for item in evidence):
        return False
    youngest = max((since for _, genuine, _, _, since in known if genuine is not False), default=0)
    return any(
        says == REVOKED and genuine and current and since >= youngest for says, genuine, current, _, since in known
    )


def _clears(item, profile):
    says, genuine, current, is_weak, _ = item
    return says == GOOD and genuine is not False and current is not False and not (is_weak and profile != "legacy")
