"""The relations: each changes a question, and says what its answer must then be, with the rule in its first lines.

A relation takes a case and a random source and gives trials. Rules on lists and responses stand behind those on
certificates; `faults.py` has the last one.
"""

import collections

from mutator import certificate as cert
from mutator import der
from mutator.certificate import NOW
from mutator.keys import key

from . import papers
from .faults import FAULTS
from .hierarchy import Signer, path, question
from .trial import HELD, Trial, same, same_verdict, still_accepts, still_refuses, union

RELATIONS = {}


def relation(function):
    RELATIONS[function.__name__.replace("_", "-")] = function
    return function


def _shuffled(choice, items):
    return choice.sample(items, len(items))


def _same(case, change, *questions):
    """The same verdict and reasons; beside more than eight paths the verdict alone, as reasons are told of eight."""
    first = case.question
    return Trial(change, [first, *questions], same(case.has_many_paths(first, *questions)))


# ---- What changes nothing


@relation
def order(case, choice):
    """Supplied certificates, anchors, lists and responses are sets (RFC 5280 §6.1: any path will do)."""
    now = case.question
    yield _same(case, "intermediates in another order", now.but(intermediates=_shuffled(choice, now.intermediates)))
    if len(now.roots) > 1:
        yield _same(case, "anchors in another order", now.but(roots=now.roots[::-1]))
    if len(now.lists) + len(now.responses) > 1:
        lists, responses = _shuffled(choice, now.lists), _shuffled(choice, now.responses)
        yield _same(case, "evidence in another order", now.but(lists=lists, responses=responses))


@relation
def strangers(case, choice):
    """A certificate on no path, and evidence about another one, says nothing (RFC 5280 §6.1, RFC 6960 §4.1.1)."""
    now = case.question
    some = choice.sample(papers.strange_certificates(), choice.choice((1, 3, 12)))
    mixed = now.but(intermediates=_shuffled(choice, now.intermediates + some))
    yield _same(case, "strange certificates", mixed)
    lists, responses = papers.strange_evidence()
    some = {"lists": choice.sample(lists, choice.choice((1, 3, 8))), "responses": choice.sample(responses, 4)}
    yield _same(case, f"strange evidence, mode {now.revocation}", now.beside(**some))


@relation
def duplicates(case, choice):
    """A certificate that is sent twice counts once (RFC 8446 §4.4.2 lets servers send more than is needed)."""
    now = case.question
    again = choice.sample(now.intermediates, min(len(now.intermediates), 3))
    yield _same(case, "intermediates twice", now.but(intermediates=again + now.intermediates))
    yield _same(case, "leaf and anchors among the intermediates", now.beside(intermediates=[now.leaf, *now.roots]))
    yield _same(case, "anchors twice", now.beside(roots=now.roots))
    if now.lists or now.responses:
        twice = now.but(lists=now.lists * 2, responses=now.responses[::-1] + now.responses)
        yield _same(case, "evidence twice", twice)


@relation
def encodings(case, choice):
    """A copy with another unsigned part, as ECDSA's (r, n - s) or RSA's without NULL (RFC 4055 §2.1), is no other
    certificate, and what cannot be read is left out."""
    now = case.question
    supplied = [item for item in case.authorities if item.data in now.intermediates]
    copies = [copy for item in supplied if (copy := papers.rewritten(item.data, item.signing_key))]
    if copies:
        copies = choice.sample(copies, min(len(copies), 2))
        # Each copy makes candidates of its own, so that what is said may be said of the copy.
        yield Trial("a copy with another writing beside it", [now, now.beside(intermediates=copies)], same_verdict)
    yield _same(case, "octets that are no certificate", now.beside(intermediates=[b"\x30\x03\x02\x01", der.null()]))
    garbage = {"lists": [der.sequence()], "responses": [b"\x30\x80", der.sequence(der.null())]}
    yield _same(case, "octets that are no evidence", now.beside(**garbage))


@relation
def look_alikes(case, choice):
    """An authority of an issuer's name with another key signed nothing (RFC 5280 §6.1.3 (a) (1)): it hides nothing."""
    now, made = case.question, []
    for number in range(choice.choice((1, 2, 5))):
        real = choice.choice(case.authorities)
        signing_key = choice.choice((real.signing_key, key("imitator")))
        fake = cert.authority(
            real.subject, real.issuer, key(f"other {number}"), signing_key, None, 0x9000 + number
        )
        if choice.random() < 0.5:
            fake.put(cert.SUBJECT_KEY, der.octets(real.key.identifier))
        made.append(fake.signed())
    yield Trial("look-alikes", [now, now.but(intermediates=made + now.intermediates)], same_verdict)


# ---- More trust, and less


@relation
def more_anchors(case, choice):
    """One valid path to one anchor is enough (RFC 5280 §6.1), so that a further anchor never refuses."""
    now = case.question
    others = [item for item in case.authorities if item.data not in now.roots]
    for item in choice.sample(others, min(len(others), 3)):
        kind = "a self-issued authority" if item.subject == item.issuer else "an authority"
        added = now.beside(roots=[item.data])
        yield Trial(f"{kind} is also an anchor", [now, added], still_accepts, frozenset({item.data}))
        beside = now.but(roots=[item.data, *now.roots], intermediates=[i for i in now.intermediates if i != item.data])
        yield Trial(f"{kind} is an anchor instead", [now, beside], still_accepts, frozenset({item.data}))
    yield Trial("the leaf is also an anchor", [now, now.beside(roots=[now.leaf])], still_accepts)
    added = now.beside(roots=papers.strange_certificates()[:1])
    yield Trial("a stranger is also an anchor", [now, added], same_verdict)


@relation
def fewer_anchors(case, choice):
    """A path ends in an anchor (RFC 5280 §6.1 (a)): without one of them nothing new is accepted."""
    now = case.question
    for root in now.roots:
        fewer = now.but(roots=[item for item in now.roots if item != root])
        yield Trial("without an anchor", [now, fewer], still_refuses)
    yield Trial("without all anchors", [now, now.but(roots=[])], still_refuses)
    known = now.beside(intermediates=now.roots).but(roots=papers.strange_certificates()[:1])
    yield Trial("another's anchor", [now, known], lambda answers: "accept of strangers" if answers[1].accepts else HELD)


@relation
def fewer_certificates(case, choice):
    """A path consists of available certificates. With fewer of them there are fewer paths. Without revocation, where certificates
    also bear witness."""
    now = case.question.but(revocation="off")
    for item in choice.sample(now.intermediates, min(len(now.intermediates), 3)):
        yield Trial("without an intermediate", [now, now.without(item)], still_refuses)


@relation
def shorter_paths(case, choice):
    """What fits into fewer intermediates fits into more (RFC 5280 §6.1.2 (k))."""
    now = case.question
    depths = [now.with_more(max_depth=depth) for depth in (None, 4, 3, 2, 1, 0)]
    for wide, narrow in zip(depths, depths[1:]):
        yield Trial("fewer intermediates allowed", [wide, narrow], still_refuses)


@relation
def stricter_policies(case, choice):
    """Fewer policies, and the flags of RFC 5280 §6.1.1 (e) to (g), only take valid paths away. Mapping is inhibited where
    any policy will do, as a mapping may also take one away (§6.1.4 (b) (1))."""
    now = case.question
    asked = {"initial": ["2.5.29.32.0"], "explicit": False, "inhibit_mapping": False, "inhibit_any": False}
    asked = now.more.get("policy", asked)
    wide = now.with_more(policy=asked)
    does_any = asked["initial"] == ["2.5.29.32.0"]
    for flag in ("explicit", "inhibit_any", *(["inhibit_mapping"] if does_any else [])):
        yield Trial(f"{flag} set", [wide, now.with_more(policy={**asked, flag: True})], still_refuses)
    fewer = {**asked, "initial": [choice.choice(("1.2.5", "1.2.6"))]}
    if does_any or fewer["initial"][0] in asked["initial"]:
        yield Trial("fewer policies", [wide, now.with_more(policy=fewer)], still_refuses)


@relation
def further_demands(case, choice):
    """A name, a usage or a pin that is asked for besides accepts nothing new."""
    now = case.question
    yield Trial("a name is asked for", [now.but(host=None), now], still_refuses)
    yield Trial("a key usage is asked for", [now, now.with_more(key_usage=["keyEncipherment"])], still_refuses)
    yield Trial("a leaf pin is asked for", [now, now.with_more(leaf_pins=["A" * 43 + "="])], still_refuses)
    yield Trial("an authority pin is asked for", [now, now.with_more(ca_pins=["A" * 43 + "="])], still_refuses)


# A profile and one that accepts all that it accepts, by StandardProfiles.swift: each property is as strict or stricter.
# Nothing of the kind holds between apple and the others as a whole: apple takes critical extensions that it does not
# process, server-gated crypto, forms that RFC 5280 §4 tells readers to refuse, and skips certificates with no-check.
# No hierarchy here has any of these, so that what apple accepts here, legacy accepts.
SUBSETS = (
    ("rfc5280-strict", "rfc5280"),
    ("webpki", "rfc5280"),
    ("webpki", "rfc5280-strict"),
    ("rfc5280", "legacy"),
    ("webpki", "legacy"),
    ("apple", "legacy"),
)


@relation
def stricter_profiles(case, choice):
    """A profile accepts nothing that the one it makes stricter refuses."""
    for strict, wide in SUBSETS:
        asked = [case.question.but(profile=profile) for profile in (wide, strict)]
        yield Trial(f"{strict} instead of {wide}", asked, still_refuses)


# ---- Revocation


@relation
def stricter_modes(case, choice):
    """Soft refuses certificates that are shown revoked. Hard also refuses certificates that are not cleared."""
    off, soft, hard = (case.question.but(revocation=mode) for mode in ("off", "soft", "hard"))
    yield Trial("soft instead of off", [off, soft], still_refuses)
    yield Trial("hard instead of soft", [soft, hard], still_refuses)


@relation
def revoked(case, choice):
    """A certificate of every path is revoked by its issuer: all are refused, for that reason (RFC 5280 §6.1.3 (a) (3)).

    The evidence is the youngest, as an authority may lift a hold; older genuine evidence, and any that others signed,
    is noise.
    """
    now, paths = case.question, case.paths(limit=24)
    if not paths or len(paths) == 24 or any(len(path) == 1 for path in paths):
        return
    cut = {item.data: item for item in (choice.choice((path[0], choice.choice(path[:-1]))) for path in paths)}
    own = _revoking(cut.values(), choice)
    kind = choice.choice(("noise", "forgeries"))
    given = getattr(papers, kind)(case, choice, choice.choice((0, 2, 8, 30)))
    old = [papers.made_list(issuer, (), papers.OLD) for issuer in case.signers()]
    lists = _shuffled(choice, given["lists"] + own["lists"] + old)
    changed = now.but(lists=lists, responses=_shuffled(choice, given["responses"] + own["responses"]))
    kept = frozenset([*own["lists"], *own["responses"], *now.roots])
    for mode in ("soft", "hard"):
        law = _refused if (kind, mode) == ("forgeries", "hard") else _refused_as_revoked
        asked = [now.but(revocation="off"), changed.but(revocation=mode)]
        yield Trial(f"revoked beside {kind}, mode {mode}", asked, law, kept)


def _revoking(revoked, choice):
    evidence = {"lists": [], "responses": []}
    for item in revoked:
        if choice.random() < 0.5:
            evidence["lists"].append(papers.made_list(item.signer, [item.serial], papers.YOUNG, number=900))
        else:
            delegate = choice.choice((None, key("delegate", "P-256"), key("delegate", "P-384")))
            made = papers.made_response(item.signer, item.serial, "revoked", papers.YOUNG, delegate)
            evidence["responses"].append(made)
    return evidence


def _refused(answers):
    """How many forgeries are verified is bounded: beyond that the status may be unknown, which mode hard refuses."""
    _, after = answers
    if after.accepts:
        return "accept of what is revoked"
    return f"{after}, where the status is unknown" if after.reason == "budget-exceeded" else HELD


def _refused_as_revoked(answers):
    before, after = answers
    if after.accepts:
        return "accept of what is revoked"
    if before.accepts and after.reason != "revoked" and "revoked" not in after.detail:
        return f"{after}, and not for revocation"
    return HELD


@relation
def noise(case, choice):
    """Evidence of strangers does not count (RFC 5280 §6.3.3 (g), RFC 6960 §3.2), and hides no other."""
    now = case.question
    for count in (1, 6, 40):
        added = papers.noise(case, choice, count)
        for mode in ("soft", "hard"):
            asked = now.but(revocation=mode)
            changed = asked.but(lists=added["lists"] + asked.lists, responses=added["responses"] + asked.responses)
            yield Trial(f"{count} documents of strangers, mode {mode}", [asked, changed], same_verdict)
            if mode == "soft":
                off = now.but(revocation="off")
                alone = off.but(revocation="soft", **added)
                yield Trial(f"{count} documents of strangers alone", [off, alone], same())
        forged = papers.forgeries(case, choice, count)
        for mode in ("soft", "hard"):
            asked = now.but(revocation=mode)
            changed = asked.but(lists=forged["lists"] + asked.lists, responses=forged["responses"] + asked.responses)
            yield Trial(f"{count} forged documents, mode {mode}", [asked, changed], _no_worse_than_unknown)


def _no_worse_than_unknown(answers):
    """Only a verification shows a forgery, and their number is bounded: beyond that the status is unknown, which mode hard
    refuses; nothing that was refused is accepted."""
    before, after = answers
    is_same = before.accepts == after.accepts or after.reason == "revocation-unknown"
    return HELD if is_same else f"{before} became {after}"


@relation
def generations(case, choice):
    """Each generation of an authority's keys has its own evidence (RFC 5280 §5.2.1), and all of it clears the leaf."""
    kind, count = choice.choice(("P-256", "P-384", "P-521")), choice.choice((2, 3, 5, 10, 20))
    root = Signer(cert.name("Old root"), key("old root", choice.choice(("P-256", kind))))
    signers = [Signer(cert.name("Long-lived"), key(f"generation {number}", kind)) for number in range(count)]
    made = [cert.authority(root.subject, root.subject, root.key, root.key, is_root=True)]
    made += [cert.authority(one.subject, root.subject, one.key, root.key, None, 80 + n) for n, one in enumerate(signers)]
    asked = question([*made, cert.server(choice.choice(signers))], case.question.profile)
    above, delegate = papers.made_list(root), choice.choice((None, key("delegate", kind)))
    lists = _shuffled(choice, [above, *map(papers.made_list, signers)])
    responses = [papers.made_response(each, 0x3003, delegate=delegate) for each in signers]
    for what, evidence in (
        ("lists", {"lists": lists}),
        ("responses", {"lists": [above], "responses": _shuffled(choice, responses)}),
        ("both", {"lists": lists, "responses": responses}),
    ):
        for mode in ("soft", "hard"):
            given = asked.but(revocation=mode, **evidence)
            kept = frozenset([*given.roots, *given.intermediates, *given.lists, *given.responses])
            yield Trial(f"{count} generations of {kind}, {what}, mode {mode}", [given], _is_accepted, kept)


def _is_accepted(answers):
    return HELD if answers[0].accepts else f"{answers[0]}, where all is in order"


# ---- Dates


@relation
def dates(case, choice):
    """A time is accepted exactly where one of the paths, with nothing beside it, is (RFC 5280 §6.1: one is enough)."""
    now = case.question.but(revocation="off", lists=[], responses=[])
    paths = case.paths(limit=13)
    if len(paths) > 12:
        return
    every = [edge for path in paths for item in path for edge in item.dates]
    edges = sorted({moment + step for moment in every for step in (-1, 0, 1)} | {NOW})
    split = [path if len(path) > 1 else path * 2 for path in paths]
    for moment in choice.sample(edges, min(len(edges), 4)) + [NOW]:
        at = now.but(time=moment)
        alone = [at.but(roots=[top.data], intermediates=[item.data for item in rest]) for _, *rest, top in split]
        yield Trial("the union of the paths", [at, *alone], union)


# ---- Reasons


@relation
def reasons(case, choice):
    """One fault is put into a path that keeps all rules: it is refused, and the fault's code is among the reasons."""
    profile = case.question.profile
    name = choice.choice([name for name, fault in FAULTS.items() if profile in fault.profiles])
    fault, made = FAULTS[name], path(choice, depth=choice.choice((2, 2, 3)))
    good = question(made, profile)
    changed = fault.apply(good, made, choice)
    kept = frozenset([*good.roots, *good.intermediates, *changed.intermediates, *changed.lists])

    def law(answers):
        before, after = answers
        if not before.accepts:
            return f"{before}, where all is in order"
        if after.accepts:
            return "accept of the fault"
        return HELD if fault.is_named(after) else f"{after}, which does not name the fault"

    yield Trial(name, [good, changed], law, kept)
