"""Random hierarchies: authorities with several generations of keys, cross-signed, rolled over and imitated."""

import collections
import dataclasses

from mutator import certificate as cert
from mutator import der
from mutator.certificate import DAY, NOW
from mutator.extensions import constraints, policy
from mutator.families import source
from mutator.judges import PROFILES
from mutator.keys import PSS, key

from .trial import Question

HOST = "www.example.com"
Signer = collections.namedtuple("Signer", "subject key")
ANY_POLICY, POLICIES = "2.5.29.32.0", ("1.2.5", "1.2.6", "1.2.7")
# RSA keys take long to make: there are a few, and an authority has one of them for itself as long as they last.
RSA_KEYS = 5
LEAF_SERIAL = 0x3003


@dataclasses.dataclass(eq=False)
class Issued:
    """A signed certificate and what is known of it."""

    data: bytes
    subject: bytes
    issuer: bytes
    key: object
    signing_key: object
    serial: int
    dates: tuple = ()

    @property
    def signer(self):
        return Signer(self.issuer, self.signing_key)


class Case:
    """A question with every certificate that was made for it; evidence is added by papers.py."""

    def __init__(self, question, leaf, authorities):
        self.question, self.leaf, self.authorities = question, leaf, authorities
        self.made = {item.data: item for item in [leaf, *authorities]}

    def signers(self):
        """Those that signed what is no root of its own, with what they signed."""
        found = collections.defaultdict(list)
        for item in self.made.values():
            if (item.subject, item.key) != item.signer:
                found[item.signer].append(item)
        return found

    def paths(self, question=None, limit=64, by_name=False):
        """The paths from the leaf to an anchor, whether they are any good or not.

        With `by_name` the names chain, otherwise the signatures are genuine, too.
        """
        question, found = question or self.question, []
        roots, named = set(question.roots), collections.defaultdict(list)
        for data in dict.fromkeys([*question.roots, *question.intermediates]):
            if data in self.made:
                named[self.made[data].subject].append(self.made[data])

        def extend(path):
            if len(found) >= limit or len(path) > 8:
                return
            top = path[-1]
            if top.data in roots:
                found.append(path)
            for above in named[top.issuer]:
                if above not in path and (by_name or above.key is top.signing_key):
                    extend([*path, above])

        extend([self.made[question.leaf]])
        return found

    def has_many_paths(self, *questions):
        """Whether more than eight candidates are there to choose from, so that what is said may be of another one."""
        return any(len(self.paths(question, limit=9, by_name=True)) > 8 for question in questions)


def case(seed, number):
    return _Maker(source(seed, "hierarchy", number)).case()


class _Authority:
    def __init__(self, label, keys):
        self.name, self.keys = cert.name(f"Authority {label}"), keys


class _Maker:
    def __init__(self, choice):
        self.choice, self.serial, self.rsa = choice, 0x100, 0
        self.issued = []
        self.digests = choice.choices(("usual", "SHA-224", PSS), (8, 1, 1))[0]
        self.has_policies = choice.random() < 0.35
        # Where each authority asserts few policies, hardly one is common to a path.
        self.is_generous = choice.random() < 0.6
        # Of what is odd, a case has much or nothing.
        self.oddity = choice.choice((0, 0, 0.03, 0.1))
        self.profile = choice.choice(PROFILES)

    def chance(self, of):
        return self.choice.random() < of

    def odd(self, weight=1):
        return self.chance(self.oddity * weight)

    def case(self):
        roots = [self.authority(f"root {number}") for number in range(self.choice.choice((1, 1, 2, 3)))]
        anchors = [self.root(root) for root in roots]
        levels = [roots]
        for level in range(self.choice.choice((1, 1, 2, 3))):
            row = [self.authority(f"{level} {number}") for number in range(self.choice.choice((1, 1, 2)))]
            for one in row:
                self.certify(one, [above for tier in levels for above in tier])
            levels.append(row)
        self.cross(roots)
        leaf = self.leaf(self.choice.choice(levels[-1]))
        self.imitate(levels)
        return self.finish(leaf, anchors)

    def finish(self, leaf, anchors):
        trusted = [anchor for anchor in anchors if self.chance(0.8)] or anchors[:1]
        supplied = [item.data for item in self.issued if item not in trusted and self.chance(0.97)]
        self.choice.shuffle(supplied)
        if self.chance(0.08):
            trusted.append(self.choice.choice(self.issued))
        question = Question(
            "", leaf.data, [item.data for item in trusted], supplied, HOST, profile=self.profile, more=self.settings()
        )
        return Case(question, leaf, self.issued)

    def settings(self):
        more = {}
        if self.has_policies and self.chance(0.7):
            more["policy"] = {
                "initial": self.choice.sample(POLICIES, self.choice.choice((1, 2, 0))) or [ANY_POLICY],
                "explicit": self.chance(0.4),
                "inhibit_mapping": self.chance(0.2),
                "inhibit_any": self.chance(0.2),
            }
        if self.chance(0.1):
            more["max_depth"] = self.choice.choice((1, 2, 3, 4))
        return more

    def authority(self, label):
        kind = self.choice.choices(("P-256", "P-384", "P-521", "RSA"), (6, 2, 1, 2))[0]
        if self.digests == PSS:
            kind = self.choice.choice(("RSA", kind))
        generations = self.choice.choices((1, 2, 3), (7, 3, 1))[0]
        return _Authority(label, [self.key(f"{label} {number}", kind) for number in range(generations)])

    def key(self, label, kind):
        if kind != "RSA":
            return key(label, kind)
        self.rsa += 1
        return key(f"shared {self.rsa}", "RSA-2048") if self.rsa <= RSA_KEYS else key(label)

    def root(self, root):
        """Self-signed with each key, and each key certified with its neighbors: old with new, new with old."""
        made = [self.issue(root.name, own, Signer(root.name, own), is_root=True) for own in root.keys]
        for old, new in zip(root.keys, root.keys[1:]):
            if self.chance(0.8):
                self.issue(root.name, new, Signer(root.name, old))
            if self.chance(0.4):
                self.issue(root.name, old, Signer(root.name, new))
        return self.choice.choice(made)

    def certify(self, one, above):
        parents = [Signer(parent.name, own) for parent in above[-2:] for own in parent.keys]
        for number, own in enumerate(one.keys):
            if number and self.chance(0.4):
                self.issue(one.name, own, Signer(one.name, one.keys[number - 1]))
                continue
            for parent in self.choice.sample(parents, min(len(parents), self.choice.choice((1, 1, 1, 2)))):
                self.issue(one.name, own, parent)

    def cross(self, roots):
        if len(roots) > 1 and self.chance(0.5):
            one, other = self.choice.sample(roots, 2)
            self.issue(one.name, one.keys[0], Signer(other.name, other.keys[0]))

    def imitate(self, levels):
        """Authorities with another's name and keys of their own, which sign nothing here."""
        for number in range(self.choice.choice((0, 0, 1, 2))):
            one, parent = self.choice.choice(levels[-1]), self.choice.choice(levels[0])
            signing_key = self.choice.choice((parent.keys[0], key("imitator")))
            self.issue(one.name, key(f"look-alike {number}"), Signer(parent.name, signing_key))

    def issue(self, subject, own, signer, is_root=False):
        self.serial += 1
        made = cert.authority(subject, signer.subject, own, signer.key, None, self.serial, is_root)
        dates = self.dates(made, 900)
        if not is_root:
            self.restrict(made)
        if self.has_policies and not is_root:
            self.add_policies(made)
        return self.sign(made, dates)

    def leaf(self, one):
        own = self.choice.choice(one.keys)
        host = "other.example.org" if self.odd(0.3) else HOST
        made = cert.server(Signer(one.name, own), host=host, serial=LEAF_SERIAL)
        dates = self.dates(made, 60)
        if self.has_policies:
            made.put(cert.POLICIES, policy(*self.choice.sample(POLICIES, self.choice.choice((1, 2)))))
        if self.odd(0.3):
            made.put(cert.EXTENDED_KEY_USAGE, cert.usages(cert.CLIENT_AUTH))
        made = self.sign(made, dates)
        self.issued.remove(made)
        return made

    def dates(self, made, days):
        start, end = NOW - days * DAY, NOW + days * DAY
        if self.odd():
            start, end = self.choice.choice(((start, NOW - DAY), (NOW + DAY, end), (NOW - 10 * DAY, NOW + 10 * DAY)))
        made.not_before, made.not_after = der.time(start), der.time(end)
        return start, end

    def restrict(self, made):
        if self.odd(2):
            length = self.choice.choice((0, 0, 1, 2))
            made.put(cert.BASIC_CONSTRAINTS, der.sequence(der.boolean(True), der.integer(length)), True)
        if self.odd(2):
            inside, outside = [cert.dns("example.com")], [cert.dns("example.org")]
            every = (inside, ()), ((), outside), (outside, ()), ((), inside), (inside + outside, ())
            trees = self.choice.choice(every)
            made.put(cert.NAME_CONSTRAINTS, constraints(*trees), True)
        if self.odd(2):
            usage = self.choice.choice((cert.SERVER_AUTH, cert.SERVER_AUTH, cert.CLIENT_AUTH, cert.ANY_USAGE))
            made.put(cert.EXTENDED_KEY_USAGE, cert.usages(usage))
        if self.odd():
            change = self.choice.choice((self._no_authority, self._no_usage, self._stray_identifier, self._forge))
            change(made)

    @staticmethod
    def _no_authority(made):
        made.put(cert.BASIC_CONSTRAINTS, der.sequence(), True)

    @staticmethod
    def _no_usage(made):
        made.put(cert.KEY_USAGE, der.named_bits(cert.DIGITAL_SIGNATURE, cert.CRL_SIGN), True)

    @staticmethod
    def _stray_identifier(made):
        made.put(cert.AUTHORITY_KEY, cert.authority_key(b"\x07" * 20))

    @staticmethod
    def _forge(made):
        made.change_signature = lambda signature: der.bits(signature[:-1] + bytes([signature[-1] ^ 1]))

    def add_policies(self, made):
        few = self.choice.sample(POLICIES, self.choice.choice((1, 2, 3)))
        named = [ANY_POLICY] if self.chance(0.4) else POLICIES if self.is_generous else few
        made.put(cert.POLICIES, policy(*named), self.chance(0.3))
        if self.chance(0.3):
            pair = der.sequence(*(der.oid(item) for item in self.choice.sample(POLICIES, 2)))
            made.put(cert.POLICY_MAPPINGS, der.sequence(pair), True)
        if self.chance(0.15):
            number = self.choice.choice((0, 1, 2))
            skipped = der.context(self.choice.choice((0, 1)), bytes([number]), constructed=False)
            made.put(cert.POLICY_CONSTRAINTS, der.sequence(skipped), True)
        if self.chance(0.1):
            made.put(cert.INHIBIT_ANY_POLICY, der.integer(self.choice.choice((0, 1))), True)

    def sign(self, made, dates):
        kind = made.signing_key.kind
        if self.digests == PSS and kind.startswith("RSA"):
            made.digest = PSS
        elif self.digests == "SHA-224" and self.chance(0.5):
            made.digest = "sha224"
        elif self.chance(0.2):
            made.digest = self.choice.choice(("sha384", "sha512"))
        serial = int.from_bytes(der.children(made.serial)[0][1], "big")
        done = Issued(made.signed(), made.subject, made.issuer, made.key, made.signing_key, serial, dates)
        self.issued.append(done)
        return done


def path(choice, kinds=("P-256", "P-384", "P-521", "RSA"), depth=None):
    """A root, one to three authorities and a server that keep all rules, before they are signed."""
    maker = _Maker(choice)
    maker.oddity, maker.digests, maker.has_policies = 0, "usual", False
    made = []
    for level in range(1 + (depth or choice.choice((1, 1, 2, 3)))):
        own = maker.key(f"plain {level}", choice.choice(kinds))
        above = Signer(made[-1].subject, made[-1].key) if made else Signer(cert.name("Plain root"), own)
        subject = cert.name(f"Plain {level}") if made else above.subject
        made.append(cert.authority(subject, above.subject, own, above.key, None, 0x10 + level, is_root=not made))
    made.append(cert.server(Signer(made[-1].subject, made[-1].key), host=HOST, serial=LEAF_SERIAL))
    return made


def question(made, profile, **more):
    """The question about a path that `path` gave, the anchor first."""
    signed = [item if isinstance(item, bytes) else item.signed() for item in made]
    return Question("", signed[-1], signed[:1], signed[1:-1], HOST, profile=profile, **more)
