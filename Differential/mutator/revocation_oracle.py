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

ROOTS_OWN = "of the root in its own name"


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
        clearing = [
            item
            for item in known
            if item[0] == GOOD
            and item[1] is not False
            and item[2] is not False
            and not (item[3] and profile != "legacy")
        ]
        # What the root says in its own name is about the authority below it, whomever it was made for.
        is_roots = any(item["signer"] == ROOTS_OWN for item in spec.evidence if item.kind == "list")
        if spec.mode == "hard" and not clearing and not (is_roots and target == "issuing"):
            return None if profile == "apple" and "no check" in spec.oddity else f"no status: {target}"
        is_clear = is_clear and not revoking and any(item[1] and item[2] for item in clearing)
    return "accept" if is_clear else None
