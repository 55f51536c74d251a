"""Certificates as fields that may each be changed before they are signed (RFC 5280 §4.1)."""

import copy

from . import der
from .der import boolean, context, integer, named_bits, octets, oid, sequence, set_of, text
from .keys import key

NOW = 1_769_904_000  # 2026-02-01T00:00:00Z
DAY = 86_400

BASIC_CONSTRAINTS, KEY_USAGE, EXTENDED_KEY_USAGE = "2.5.29.19", "2.5.29.15", "2.5.29.37"
ALTERNATIVE_NAME, NAME_CONSTRAINTS, POLICIES = "2.5.29.17", "2.5.29.30", "2.5.29.32"
AUTHORITY_KEY, SUBJECT_KEY, DISTRIBUTION_POINTS = "2.5.29.35", "2.5.29.14", "2.5.29.31"
POLICY_MAPPINGS, POLICY_CONSTRAINTS, INHIBIT_ANY_POLICY = "2.5.29.33", "2.5.29.36", "2.5.29.54"
NO_CHECK = "1.3.6.1.5.5.7.48.1.5"
SERVER_AUTH, CLIENT_AUTH, OCSP_SIGNING = "1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.9"
EMAIL_PROTECTION, ANY_USAGE = "1.3.6.1.5.5.7.3.4", "2.5.29.37.0"
DIGITAL_SIGNATURE, NON_REPUDIATION, KEY_ENCIPHERMENT, KEY_AGREEMENT, CERT_SIGN, CRL_SIGN = 0, 1, 2, 4, 5, 6


def name(common, organization="Example", tag=der.UTF8):
    """A distinguished name with an organization and a common name."""
    return sequence(
        *(
            set_of(sequence(oid(kind), text(value, tag)))
            for kind, value in (("2.5.4.10", organization), ("2.5.4.3", common))
            if value
        )
    )


class Extension:
    def __init__(self, kind, value, critical=False):
        self.kind, self.value, self.critical = kind, value, critical

    def encode(self):
        flag = self.critical if isinstance(self.critical, bytes) else boolean(True) if self.critical else b""
        return sequence(oid(self.kind), flag, octets(self.value))


class Certificate:
    """What stands in a certificate, each field in DER; `signed()` gives the whole."""

    def __init__(self, subject, issuer, subject_key, signing_key, serial=1):
        self.version = context(0, integer(2))
        self.serial = integer(serial)
        self.subject, self.issuer = subject, issuer
        self.not_before, self.not_after = der.time(NOW - 60 * DAY), der.time(NOW + 60 * DAY)
        self.key, self.signing_key, self.digest = subject_key, signing_key, "sha256"
        self.spki = subject_key.spki
        self.unique_identifiers = b""
        self.extensions = []
        self.inner_algorithm = self.outer_algorithm = None
        # What is done to the finished parts, for faults that no field shows.
        self.change_body = self.change_signature = self.change_whole = None

    def clone(self):
        twin = copy.copy(self)
        twin.extensions = [copy.copy(extension) for extension in self.extensions]
        return twin

    def add(self, kind, value, critical=False):
        self.extensions.append(Extension(kind, value, critical))
        return self

    def get(self, kind):
        return next((extension for extension in self.extensions if extension.kind == kind), None)

    def put(self, kind, value=None, critical=None):
        """Replaces an extension's value or criticality, or adds it; without either, removes it."""
        found = self.get(kind)
        if value is None and critical is None:
            self.extensions = [extension for extension in self.extensions if extension.kind != kind]
        elif found is None:
            self.add(kind, value, bool(critical))
        else:
            found.value = found.value if value is None else value
            found.critical = found.critical if critical is None else critical
        return self

    def body(self):
        extensions = context(3, sequence(*(extension.encode() for extension in self.extensions)))
        algorithm = self.inner_algorithm or self.signing_key.algorithm(self.digest)
        body = sequence(
            self.version,
            self.serial,
            algorithm,
            self.issuer,
            sequence(self.not_before, self.not_after),
            self.subject,
            self.spki,
            self.unique_identifiers,
            extensions if self.extensions else b"",
        )
        return self.change_body(body) if self.change_body else body

    def signed(self):
        body = self.body()
        signature = self.signing_key.sign(body, self.digest)
        field = self.change_signature(signature) if self.change_signature else der.bits(signature)
        algorithm = self.outer_algorithm or self.inner_algorithm or self.signing_key.algorithm(self.digest)
        whole = sequence(body, algorithm, field)
        return self.change_whole(whole) if self.change_whole else whole


def usages(*kinds):
    return sequence(*(oid(kind) for kind in kinds))


def dns(host):
    return context(2, host if isinstance(host, bytes) else host.encode(), constructed=False)


def authority_key(identifier):
    return sequence(context(0, identifier, constructed=False))


def authority(subject, issuer, subject_key, signing_key, path_length=None, serial=1, is_root=False):
    """A certificate authority as RFC 5280 and the baseline requirements want it."""
    made = Certificate(subject, issuer, subject_key, signing_key, serial)
    made.not_before, made.not_after = der.time(NOW - 900 * DAY), der.time(NOW + 900 * DAY)
    length = b"" if path_length is None else integer(path_length)
    made.add(BASIC_CONSTRAINTS, sequence(boolean(True), length), critical=True)
    made.add(KEY_USAGE, named_bits(DIGITAL_SIGNATURE, CERT_SIGN, CRL_SIGN), critical=True)
    made.add(SUBJECT_KEY, octets(subject_key.identifier))
    if not is_root:
        made.add(AUTHORITY_KEY, authority_key(signing_key.identifier))
    return made


def root(label="root", kind="P-256"):
    own = key(label, kind)
    return authority(name(f"Test {label}"), name(f"Test {label}"), own, own, serial=0x1001, is_root=True)


def server(issuer, label="server", host="www.example.com", serial=0x3003, kind="P-256"):
    """A TLS server's certificate as the baseline requirements want it."""
    own = key(label, kind)
    made = Certificate(name(host), issuer.subject, own, issuer.key, serial)
    made.add(KEY_USAGE, named_bits(DIGITAL_SIGNATURE), critical=True)
    made.add(EXTENDED_KEY_USAGE, usages(SERVER_AUTH))
    made.add(BASIC_CONSTRAINTS, sequence(), critical=True)
    made.add(SUBJECT_KEY, octets(own.identifier))
    made.add(AUTHORITY_KEY, authority_key(issuer.key.identifier))
    made.add(ALTERNATIVE_NAME, sequence(dns(host)))
    return made


def intermediate(issuer, label="issuing", path_length=None, serial=0x2002, kind="P-256"):
    return authority(name(f"Test {label}"), issuer.subject, key(label, kind), issuer.key, path_length, serial)
