"""The reader of webpki's tests, on two small crates."""

import base64

from . import fixtures
from .reading import ReadingTests
from readers import webpki
from readers.der import children

NAMES = r'''
    const PRESENTED_MATCHES_REFERENCE: &[(&[u8], &[u8], Option<bool>)] = &[
        // A remark (b"x", b"y", None)
        (b"a.example", b"A.example", Some(true)),
        (b"b.example", b"a.example", Some(false)), // another
        (
            b"a.example.",
            b"a.example",
            None,
        ),
    ];
    const PRESENTED_MATCHES_CONSTRAINT: &[(&[u8], &[u8], Result<bool, Error>)] = &[
        (b"a.example", b"example", Ok(true)),
        (b"a.example", b"*.example", Err(Error::MalformedNameConstraint)),
    ];
    const WILDCARD_EXCLUDED_INTERSECTION: &[(&[u8], &[u8], Result<bool, Error>)] = &[
        (b"*.example", b"a.example", Ok(true)),
        (b"*.example", b"other", Ok(false)),
    ];
    const SOMETHING_ELSE: &[(&[u8], bool)] = &[
        (b"a", true),
    ];
'''
ADDRESSES = r'''
    const PRESENTED_MATCHES_CONSTRAINT: &[(&str, &str, &str, Result<bool, Error>)] = &[
        ("192.0.2.1", "192.0.2.0", "255.255.255.0", Ok(true)),
        ("2001:db8::1", "192.0.2.0", "255.255.255.0", Ok(false)),
    ];
'''
VALIDITY = r'''
static DNS_NAME_VALIDITY: &[(&[u8], bool)] = &[
    (b"a\02", false),
    (b"a.b.", true),
];
'''
CHECKED = r'''
#[test]
fn good() {
    let ee = include_bytes!("files/leaf.der");
    let ca = include_bytes!("files/ca.der");
    assert_eq!(
        check_cert(ee, ca, &["a.example", "192.0.2.1"], &["b.example"], &["DnsName(\"a.example\")"]),
        Ok(())
    );
}
#[test]
fn bad() {
    let ee = include_bytes!("files/leaf.der");
    let ca = include_bytes!("files/ca.der");
    assert_eq!(check_cert(ee, ca, &[], &[]), Err(webpki::Error::NameConstraintViolation));
}
#[test]
fn made() {
    assert_eq!(check_cert(made(), made(), &[], &[]), Ok(()));
}
'''
CLIENT = CHECKED.replace("check_cert(ee, ca, &[], &[])", "check_cert(ee, ca)")


def crates(folder):
    files = {
        "webpki-0.1.0/Cargo.toml": '[package]\nname = "webpki"\n',
        "webpki-0.1.0/src/name/dns_name.rs": "const PRESENTED_MATCHES_REFERENCE: &[()] = &[\n(b\"old\", None),\n];",
        "webpki-0.2.0/Cargo.toml": '[package]\nname = "webpki"\n',
        "webpki-0.2.0/src/name/dns_name.rs": NAMES,
        "webpki-0.2.0/src/name/ip_address.rs": ADDRESSES,
        "webpki-0.2.0/tests/dns_name_tests.rs": VALIDITY,
        "rustls-webpki-1.0.0/Cargo.toml": '[package]\nname = "rustls-webpki"\n',
        "rustls-webpki-1.0.0/tests/tls_server_certs.rs": CHECKED,
        "rustls-webpki-1.0.0/tests/client_auth.rs": CLIENT,
        "rustls-webpki-1.0.0/tests/files/leaf.der": fixtures.LEAF_DER,
        "rustls-webpki-1.0.0/tests/files/ca.der": fixtures.ROOT_DER,
        "other-1.0.0/Cargo.toml": '[package]\nname = "other"\n',
    }
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def alternative_names(case):
    """The octets of the leaf's alternative names."""
    body = children(children(base64.b64decode(case.request["leaf"]))[0][1])[0][1]
    extensions = children(next(content for tag, content, _ in children(body) if tag == 0xA3))[0][1]
    found = [children(item) for _, item, _ in children(extensions)]
    value = next(parts[-1][1] for parts in found if parts[0][1] == bytes.fromhex("551d11"))
    return [content for _, content, _ in children(children(value)[0][1])]


class WebPKITests(ReadingTests):
    def setUp(self):
        super().setUp()
        self.cases = self.read(webpki, crates)

    def of(self, part):
        return [case for name, case in self.cases.items() if part in name]

    def test_matches_are_accepted_and_errors_are_not(self):
        self.assertEqual([case.is_accepted for case in self.of("REFERENCE")], [True, False, False])
        self.assertEqual(
            [case.request["peer_name"]["value"] for case in self.of("REFERENCE")],
            ["A.example", "a.example", "a.example"],
        )
        self.assertEqual(alternative_names(self.of("REFERENCE")[2]), [b"a.example."])

    def test_constraints_are_permitted_or_excluded(self):
        self.assertEqual([case.is_accepted for case in self.of("webpki::name::PRESENTED_MATCHES_C")], [True, False])
        self.assertEqual([case.is_accepted for case in self.of("EXCLUDED")], [False, True])
        self.assertEqual([case.is_accepted for case in self.of("webpki::address")], [True, False])
        self.assertEqual(alternative_names(self.of("webpki::address")[0]), [bytes([192, 0, 2, 1])])

    def test_octets_are_read_as_rust_writes_them(self):
        odd, absolute = self.of("VALIDITY")
        self.assertEqual((odd.is_accepted, alternative_names(odd)), (False, [b"a\x002"]))
        self.assertEqual(odd.request["peer_name"]["value"], "a\x002")
        self.assertEqual((absolute.is_accepted, alternative_names(absolute)), (True, [b"a.b"]))
        self.assertEqual(absolute.request["peer_name"]["value"], "a.b.")

    def test_the_last_crate_of_a_name_is_read(self):
        self.assertEqual(len(self.of("REFERENCE")), 3)
        self.assertFalse(self.of("SOMETHING_ELSE"))

    def test_certificates_are_asked_alone_and_with_each_name(self):
        self.assertEqual(
            {name.split("::", 1)[1]: case.is_accepted for name, case in self.cases.items() if "tls_server" in name},
            {
                "tls_server_certs::good": True,
                "tls_server_certs::good a.example": True,
                "tls_server_certs::good 192.0.2.1": True,
                "tls_server_certs::good b.example": False,
                "tls_server_certs::bad": False,
            },
        )
        self.assertEqual(self.cases["rustls-webpki::client_auth::good"].request["purpose"], "client")

    def test_something_else_is_refused(self):
        with self.assertRaises(SystemExit):
            list(webpki.cases(self.folder / "other-1.0.0", 0))
