"""The families of situations that are about certificates alone; each is made from a seed and a number."""

import functools
import random

from . import certificate as cert
from . import der
from .extensions import VALUE_MUTATIONS
from .fields import FORM_MUTATIONS, NAME_MUTATIONS, SERIAL_MUTATIONS, TIME_MUTATIONS, VERSION_MUTATIONS
from .signatures import KEY_MUTATIONS, SIGNATURE_MUTATIONS
from .situation import Situation

MUTATIONS = {
    **VERSION_MUTATIONS,
    **SERIAL_MUTATIONS,
    **TIME_MUTATIONS,
    **NAME_MUTATIONS,
    **KEY_MUTATIONS,
    **SIGNATURE_MUTATIONS,
    **FORM_MUTATIONS,
    **VALUE_MUTATIONS,
}
PLACES = ("root", "issuing", "server")


def source(seed, family, number):
    """The random source of one situation: it depends on nothing that was made before."""
    return random.Random(f"{seed} {family} {number}")


def path(change, kind="P-256"):
    """Root, issuing authority and server; `change` gets each place and certificate before it signs another."""
    made = []
    for place in PLACES:
        above = made[-1] if made else None
        if place == "root":
            certificate = cert.root(kind=kind)
        elif place == "issuing":
            certificate = cert.intermediate(above, kind=kind)
        else:
            certificate = cert.server(above)
        if above is not None:
            certificate.issuer, certificate.signing_key = above.subject, above.key
            certificate.put(cert.AUTHORITY_KEY, cert.authority_key(_identifier(above)))
        change(place, certificate)
        made.append(certificate)
    return made


def _identifier(certificate):
    """What its issuer calls its key."""
    found = certificate.get(cert.SUBJECT_KEY)
    try:
        return der.children(found.value)[0][1]
    except (AttributeError, IndexError, ValueError):
        return certificate.key.identifier


def _situation(mutation, made, **more):
    return Situation(mutation, made[-1].signed(), [made[0].signed()], [item.signed() for item in made[1:-1]], **more)


def fields(seed, number):
    """One field of one certificate changed; the first round goes through all of them."""
    choice = source(seed, "fields", number)
    every = [(place, what) for place in PLACES for what in MUTATIONS]
    place, what = every[number] if number < len(every) else choice.choice(every)
    kind = "RSA-2048" if number >= len(every) and choice.random() < 0.3 else "P-256"

    def change(where, certificate):
        if where == place:
            MUTATIONS[what](certificate, choice)

    return _situation(f"{place}: {what}", path(change, kind))


CHANGES = (
    "deleted",
    "doubled",
    "emptied",
    "tag changed",
    "octet changed",
    "octet added",
    "octet removed",
    "replaced by NULL",
    "swapped",
    "wrapped",
)


def structure(seed, number):
    """One element anywhere in the signed part changed, whatever it means."""
    choice = source(seed, "structure", number)
    place, how = choice.choice(PLACES), choice.choice(CHANGES)
    where = []

    def change_body(body):
        tree = der.Node.parse(body)
        for _, node in list(tree.walk()):
            if node.tag == der.OCTET_STRING:
                _open(node)
        steps, _ = choice.choice([found for found in tree.walk() if found[0]])
        parent = tree
        for step in steps[:-1]:
            parent = parent.nodes[step]
        _alter(parent, steps[-1], how, choice)
        where.append(steps)
        return tree.encode()

    def change(at, certificate):
        if at == place:
            certificate.change_body = change_body

    made = path(change)
    signed = [item.signed() for item in made]
    mutation = f"{place}: {PARTS.get(where[0][0], 'extensions')} {how}"
    return Situation(mutation, signed[-1], signed[:1], signed[1:-1])


PARTS = {0: "version", 1: "serial", 2: "algorithm", 3: "issuer", 4: "validity", 5: "subject", 6: "key"}


def _open(node):
    """The value of an extension as elements, where it is one."""
    try:
        inner = der.Node.parse(node.content)
        if inner.encode() == node.content:
            node.nodes = [inner]
    except (ValueError, IndexError):
        pass


def _alter(parent, index, how, choice):
    node, nodes = parent.nodes[index], parent.nodes
    if how == "deleted":
        del nodes[index]
    elif how == "doubled":
        nodes.insert(index, node)
    elif how == "emptied":
        node.content, node.nodes = b"", None
    elif how == "tag changed":
        node.tag = choice.choice(
            [t for t in (1, 2, 3, 4, 5, 6, 12, 0x30, 0x31, 0x80, 0xA0, node.tag ^ 0x20) if t != node.tag]
        )
    elif how == "replaced by NULL":
        nodes[index] = der.Node(der.NULL)
    elif how == "swapped":
        other = choice.randrange(len(nodes))
        nodes[index], nodes[other] = nodes[other], nodes[index]
    elif how == "wrapped":
        nodes[index] = der.Node(der.SEQUENCE, b"", [node])
    else:
        _alter_octets(node, how, choice)


def _alter_octets(node, how, choice):
    content = bytearray(node.content if node.nodes is None else b"".join(item.encode() for item in node.nodes))
    node.nodes, at = None, choice.randrange(len(content) + 1)
    if how == "octet changed" and content:
        content[min(at, len(content) - 1)] ^= 1 << choice.randrange(8)
    elif how == "octet removed" and content:
        del content[min(at, len(content) - 1)]
    else:
        content.insert(at, choice.randrange(256))
    node.content = bytes(content)


LEFT_OUT = ("signature", "signed by", "length", "indefinite", "trailing")


def recombination(seed, number):
    """Certificates put together from parts of many others, as frankencerts are."""
    choice = source(seed, "recombination", number)
    pool = [what for what in MUTATIONS if not what.startswith(LEFT_OUT)]
    applied = [(place, what) for place in PLACES for what in choice.sample(pool, choice.choice((0, 0, 1, 1, 2)))]
    shuffled = [place for place in PLACES if choice.random() < 0.2]
    return recombined(tuple(applied), tuple(shuffled), (seed, number))


def recombined(applied, shuffled, seed):
    def change(place, certificate):
        for _, what in (item for item in applied if item[0] == place):
            MUTATIONS[what](certificate, random.Random(str(seed)))
        if place in shuffled:
            random.Random(str(seed)).shuffle(certificate.extensions)

    def simpler():
        for index in range(len(applied)):
            yield functools.partial(recombined, applied[:index] + applied[index + 1 :], shuffled, seed)
        if shuffled:
            yield functools.partial(recombined, applied, shuffled[1:], seed)

    mutation = " + ".join(f"{place}: {what}" for place, what in applied) or "nothing"
    return _situation(mutation, path(change), simpler=simpler)
