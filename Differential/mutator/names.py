"""Situations about names: constraints of authorities, and hosts, against names of the server, with an oracle."""

import dataclasses
import functools
import ipaddress

from . import oracle
from .certificate import ALTERNATIVE_NAME, NAME_CONSTRAINTS, intermediate, name, root, server
from .der import UTF8, context, oid, sequence, set_of, text, tlv
from .families import source
from .situation import Situation

HOSTS = [
    "www.example.com",
    "example.com",
    "a.b.example.com",
    "www.example.org",
    "notexample.com",
    "WWW.Example.COM",
    "example.com.evil.org",
    "xn--bcher-kva.example.com",
    "com",
    "localhost",
]
DIRECTORY = {"O": "2.5.4.10", "OU": "2.5.4.11", "CN": "2.5.4.3"}
NAMES = {
    "dns": HOSTS + ["*.example.com", "*.example.org", "*.b.example.com"],
    "ip": ["192.0.2.1", "192.0.2.200", "10.0.0.1", "2001:db8::1", "::ffff:192.0.2.1", "0.0.0.0"],
    "mail": ["a@example.com", "A@example.com", "a@EXAMPLE.com", "b@mail.example.com", "a@example.org", "example.com"],
    "uri": [
        "https://example.com/",
        "https://www.example.com:8443/x",
        "ldap://example.org/",
        "urn:x",
        "https://192.0.2.1/",
        "https://user@www.example.com/",
    ],
    "directory": [
        (("O", "Example"), ("CN", "x")),
        (("O", "EXAMPLE"), ("CN", "y")),
        (("O", "Other"),),
        (("O", "Example"), ("OU", "Unit"), ("CN", "z")),
        (),
    ],
    "other": ["1.2.3"],
}
TREES = {
    "dns": [
        "",
        "example.com",
        "www.example.com",
        "b.example.com",
        "example.org",
        "com",
        "EXAMPLE.com",
        ".example.com",
        "localhost",
    ],
    "ip": ["192.0.2.0/24", "192.0.2.1/32", "0.0.0.0/0", "10.0.0.0/8", "2001:db8::/32", "::/0", "::ffff:0:0/96"],
    "mail": ["a@example.com", "example.com", ".example.com", "mail.example.com", "example.org"],
    "uri": ["example.com", ".example.com", "www.example.com", "example.org"],
    "directory": [(("O", "Example"),), (("O", "example "), ("OU", "Unit")), (("O", "Other"),), ()],
    "other": ["1.2.3"],
}


def encoded(item, is_tree=False):
    form, value = item
    if form == "ip":
        return tlv(0x87, _network(value) if is_tree else ipaddress.ip_address(value).packed)
    if form == "directory":
        return context(4, sequence(*(set_of(sequence(oid(DIRECTORY[kind]), text(word, UTF8))) for kind, word in value)))
    if form == "other":
        return context(0, oid(value), context(0, text("x")))
    return tlv({"mail": 0x81, "dns": 0x82, "uri": 0x86}[form], value.encode())


def _network(value):
    network = ipaddress.ip_network(value)
    return network.network_address.packed + network.netmask.packed


@dataclasses.dataclass(frozen=True)
class Spec:
    """Names of the server, and for each authority from the anchor down its (permitted, excluded) trees."""

    names: tuple
    authorities: tuple
    is_self_issued: bool
    host: str | None

    @property
    def label(self):
        said = sorted(
            {
                f"{kind} {form}"
                for trees in self.authorities
                for kind, items in zip(("permitted", "excluded"), trees)
                for form, _ in items
            }
        )
        forms = sorted({form for form, _ in self.names if (form, self.host) != ("dns", self.host)})
        return " + ".join(
            [*said, *(f"name {form}" for form in forms), *(["self-issued"] if self.is_self_issued else [])]
        )

    @property
    def words(self):
        return f"{self.host} {self.names} below {self.authorities}"

    def simpler(self):
        for index in range(len(self.names)):
            yield dataclasses.replace(self, names=self.names[:index] + self.names[index + 1 :])
        for number, trees in enumerate(self.authorities):
            for side in (0, 1):
                for index in range(len(trees[side])):
                    less = list(trees)
                    less[side] = trees[side][:index] + trees[side][index + 1 :]
                    yield dataclasses.replace(
                        self, authorities=(*self.authorities[:number], tuple(less), *self.authorities[number + 1 :])
                    )
        if self.is_self_issued:
            yield dataclasses.replace(self, is_self_issued=False)


def situation(spec):
    above = root()
    made = [above]
    for number, (permitted, excluded) in enumerate(spec.authorities):
        if number:
            above = intermediate(above, f"level {number}", serial=0x2002 + number)
            made.append(above)
            if spec.is_self_issued and number == 1:
                twin = intermediate(above, f"level {number} again", serial=0x2102)
                twin.subject = above.subject
                made.append(twin)
                above = twin
        _constrain(made[number] if not spec.is_self_issued or number < 2 else above, permitted, excluded)
    leaf = server(above)
    # No common name: for `webpki` it would have to be one of the alternative names.
    leaf.subject = name(None, "Example")
    leaf.put(ALTERNATIVE_NAME, sequence(*(encoded(item) for item in spec.names)) if spec.names else None)
    return Situation(
        spec.label,
        leaf.signed(),
        [made[0].signed()],
        [item.signed() for item in made[1:]],
        host=spec.host,
        oracle=expected(spec),
        simpler=lambda: (functools.partial(situation, less) for less in spec.simpler()),
    )


def _constrain(certificate, permitted, excluded):
    if permitted or excluded:
        trees = [
            context(number, *(sequence(encoded(item, is_tree=True)) for item in items))
            for number, items in ((0, permitted), (1, excluded))
            if items
        ]
        certificate.put(NAME_CONSTRAINTS, sequence(*trees), True)


def expected(spec):
    """The oracle's verdict."""
    # The subject is a name too (§4.2.1.10), also of the authorities on the way (§6.1.3 (b), (c)).
    subjects = [("directory", (("O", "Example"),))]
    on_the_way = [
        ("directory", (("O", "Example"), ("CN", f"Test level {number}"))) for number in range(1, len(spec.authorities))
    ]
    broken = [oracle.violation([*spec.names, *subjects], spec.authorities)]
    broken += [oracle.violation([subject], spec.authorities[:number]) for number, subject in enumerate(on_the_way, 1)]
    found = next((form for form in broken if form not in (None, "?")), None)
    if found:
        return f"constraints: {found}"
    if not spec.names:
        return None
    is_named = True if spec.host is None else oracle.identifies(spec.names, spec.host)
    if is_named is False:
        return "host"
    return None if "?" in broken or is_named is None else "accept"


def _trees(choice, forms):
    return tuple((form, choice.choice(TREES[form])) for form in forms)


def constraints(seed, number):
    """Up to three authorities with constraints on the forms that the server has, or has not."""
    choice = source(seed, "constraints", number)
    forms = list(NAMES)
    host = choice.choice(["www.example.com"] * 4 + [None])
    names = [("dns", host)] if host else []
    names += [(form, choice.choice(NAMES[form])) for form in choice.choices(forms, k=choice.choice([0, 1, 1, 2]))]
    authorities = []
    for _ in range(choice.choice([2, 2, 3])):
        permitted = _trees(choice, choice.choices(forms, weights=[4, 2, 2, 2, 2, 1], k=choice.choice([0, 0, 1, 1, 2])))
        excluded = _trees(choice, choice.choices(forms, weights=[4, 2, 2, 2, 2, 1], k=choice.choice([0, 0, 0, 1, 2])))
        authorities.append((permitted, excluded))
    return situation(Spec(tuple(names), tuple(authorities), choice.random() < 0.15, host))


PRESENTED = NAMES["dns"] + [
    "w*.example.com",
    "*",
    "*.com",
    "*.*.example.com",
    "www.*.com",
    "www.example.com.",
    "*.EXAMPLE.com",
    "*w.example.com",
    "192.0.2.1",
]
ASKED = HOSTS + [
    "www.example.com.",
    "b.example.com",
    "192.0.2.1",
    "2001:db8::1",
    "2001:DB8:0:0::1",
    "x.com",
    "a.localhost",
    "xn--bcher-kva.example.com",
    "sub.www.example.com",
]


def hosts(seed, number):
    """The names of a server and a host that is asked for (RFC 9525)."""
    choice = source(seed, "hosts", number)
    names = [("dns", choice.choice(PRESENTED)) for _ in range(choice.choice([0, 1, 1, 2]))]
    names += [("ip", choice.choice(NAMES["ip"])) for _ in range(choice.choice([0, 0, 1]))]
    host = choice.choice(ASKED)
    made = situation(Spec(tuple(names or [("mail", "a@example.com")]), (((), ()), ((), ())), False, host))
    made.mutation = " + ".join(sorted(f"{form} {value}" for form, value in names) or ["no names"]) + f" + asked {host}"
    made.simpler = tuple
    return made
