//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Crypto
import Foundation
import ServerTrust
import TestSupport

/// Faults that people reported in public, and those that the RFCs warn of. Cause and remedy were written down before the
/// texts were looked at.
extension Fault {
    static let fromReports =
        Self.uncountedNames + Self.constraints + Self.reportedChains + Self.reportedKeys + Self.reportedStatus
        + Self.confusedPins

    private static let mismatch = "errSecHostNameMismatch (-67602)"

    // MARK: Names that do not count

    private static func uncounted(
        _ name: String, _ names: [TestName], host: String = "www.example.com", found: String, remedy: String,
        wrong: [String] = ["Connect under a name"]
    ) -> Fault {
        Fault(
            name, about: Self.leaf, rule: "RFC 9525 §6", found: found, required: host, code: Self.mismatch,
            remedy: remedy, wrong: wrong + ["for \(host), not for \(host)"]
        ) { try .leaf(host: host) { $0.set(.alternativeNames(names)) } }
    }

    private static let uncountedNames = [
        Self.uncounted(
            "Latin-1 octets in one name",
            [
                .dnsOctets(Array("b".utf8) + [0xFC] + Array("cher.example.com".utf8)),
                .dns("www.example.com"),
            ], found: "not UTF-8, which voids every DNS name",
            remedy: "without the entry that voids the others"),
        Self.uncounted(
            "a URL as a DNS name", [.dns("https://www.example.com")], found: "https://www.example.com (a URL",
            remedy: "no name that it has now can match a host"),
        Self.uncounted(
            "a port behind a DNS name", [.dns("www.example.com:443")], found: "www.example.com:443 (with a port",
            remedy: "no name that it has now can match a host"),
        Self.uncounted(
            "a name in letters beyond ASCII", [.dns("bücher.example.com")], host: "xn--bcher-kva.example.com",
            found: "bücher.example.com (letters beyond ASCII", remedy: "no name that it has now can match a host"),
        Self.uncounted(
            "a blank before a name", [.dns(" www.example.com")], found: "“ www.example.com” (a blank",
            remedy: "no name that it has now can match a host"),
        Self.uncounted(
            "a wildcard for two labels", [.dns("*.*.example.com")], host: "a.b.example.com",
            found: "*.*.example.com (the asterisk must be the left-most label",
            remedy: "no name that it has now can match a host"),
        Self.uncounted(
            "an address of eight octets beside the right one",
            [.ip([192, 0, 2, 7, 255, 255, 255, 255]), .ip([192, 0, 2, 7])], host: "192.0.2.7",
            found: "an address of 8 octets, which voids every IP address",
            remedy: "without the entry that voids the others"),
        Self.uncounted(
            "an address of three octets", [.ip([192, 0, 2])], host: "192.0.2.7",
            found: "an address of 3 octets",
            remedy: "without the entry that voids the others, and with this name in its subject alternative name"),
        Self.uncounted(
            "a common name that is the address", [.dns("router.example.com")], host: "192.0.2.7",
            found: "router.example.com", remedy: "have this one added to its subject alternative name", wrong: []),
    ]

    // MARK: Name constraints

    private static let constraints = [
        Fault(
            "a constraint with an asterisk", about: Self.leaf, rule: "RFC 5280 §4.2.1.10", found: "www.example.com",
            required: "*.example.com, which no name is within: constraints have no asterisks",
            code: "errSecInvalidName (-67689)", remedy: "Have the authority write its constraint as example.com"
        ) { try .intermediate { $0.set(.nameConstraints(permitted: [.dns("*.example.com")])) } },
        Fault(
            "a constraint that begins with a dot", about: Self.leaf, rule: "RFC 5280 §4.2.1.10", found: "example.com",
            required: "a name within .example.com (names below example.com, without example.com itself)",
            code: "errSecInvalidName (-67689)", remedy: "Have the authority write its constraint as example.com"
        ) {
            let leaf = try FaultScene.issuer.leaf(.p256(310)) { $0.set(.alternativeNames([.dns("example.com")])) }
            var scene = try FaultScene.intermediate {
                $0.set(.nameConstraints(permitted: [.dns(".example.com")]))
            }
            (scene.chain[0], scene.host) = (leaf, "example.com")
            return scene
        },
        Fault(
            "a constraint of a form that cannot be judged", about: Self.leaf, rule: "RFC 5280 §4.2.1.10",
            found: "otherName", required: "names of a form that can be compared", code: "errSecInvalidName (-67689)",
            remedy: "by an issuer without a constraint of this form", wrong: ["must not have: \"\"", "“”"]
        ) {
            let leaf = try FaultScene.issuer.leaf(.p256(310)) {
                $0.set(.alternativeNames([.dns("www.example.com"), .otherName]))
            }
            var scene = try FaultScene.intermediate { $0.set(.nameConstraints(permitted: [.otherName])) }
            scene.chain[0] = leaf
            return scene
        },
    ]

    // MARK: Chains

    private static let reportedChains = [
        Fault(
            "a version 1 root that is not trusted", about: Self.root, rule: "RFC 5280 §6.1",
            found: "self-signed, SHA-256", required: "a trusted root", code: "errSecNotTrusted (-67843)",
            remedy: "To trust it here, give --roots FILE.", wrong: ["in version 3"]
        ) {
            var scene = try FaultScene.leaf { _ in }
            scene.chain.append(try FaultScene.root.authority { $0.makeVersion1() })
            scene.roots = [try CraftedAuthority("Other Root", .p256(399)).authority()]
            return scene
        },
        Fault(
            "a self-signed server without serverAuth", about: Self.leaf, rule: "BR 7.1.2.7.10",
            found: "no extended key usage", required: "serverAuth", code: "errSecInvalidExtendedKeyUsage (-67609)",
            remedy: "Have the certificate issued with the extended key usage serverAuth"
        ) {
            let server = CraftedAuthority(name: TestDER.name([[.cn("www.example.com")]]), .p256(310))
            return FaultScene(
                chain: [try server.leaf(.p256(310)) { $0.remove("2.5.29.37") }],
                roots: [try CraftedAuthority("Other Root", .p256(399)).authority()])
        },
        Fault(
            "an expired cross-certificate beside the new root", about: Self.root, rule: "RFC 5280 §4.1.2.5",
            found: "valid until 2026-05-20", required: "valid at 2026-06-01",
            code: "errSecCertificateExpired (-67818)", remedy: "trust the root “Fault Root” itself",
            wrong: ["Renew", "download the current intermediate"]
        ) {
            let old = CraftedAuthority("Old Root", .p256(397))
            var scene = try FaultScene.leaf { _ in }
            scene.chain.append(try old.authority(FaultScene.root) { $0.notAfter = DER.utcTime("260520000000Z") })
            scene.chain.append(try FaultScene.root.authority())
            scene.roots = [try old.authority()]
            return scene
        },
        Fault(
            "an extension twice in a root", about: Self.root, rule: "RFC 5280 §4.2",
            found: "basicConstraints (2.5.29.19) twice", required: "each extension once",
            code: "errSecCertificateDuplicateExtension (-67903)",
            remedy: "Make the root again with each extension once", wrong: ["authority with a correctly"]
        ) {
            var scene = try FaultScene.leaf { _ in }
            scene.roots = [try FaultScene.root.authority { $0.extensions.append(.basicConstraints(true)) }]
            return scene
        },
        Fault(
            "a leaf as the issuer, judged by webpki", about: Self.issuer, rule: "RFC 5280 §6.1.4",
            found: "basic constraints with cA FALSE", required: "basic constraints with cA TRUE",
            code: "errSecNoBasicConstraintsCA (-67605)", remedy: "Have the leaf issued by a certificate authority"
        ) { try FaultScene.intermediate { $0.set(.basicConstraints(false)) }.with(["--profile", "webpki"]) },
        Fault(
            "no alternative name, judged by webpki", about: Self.leaf, rule: "RFC 9525 §6",
            found: "no alternative name for servers", required: "www.example.com", code: Self.mismatch,
            remedy: "with this name in its subject alternative name"
        ) { try FaultScene.leaf { $0.remove("2.5.29.17") }.with(["--profile", "webpki"]) },
        Fault(
            "a policy that no certificate has", about: "0 of the path", rule: "RFC 5280 §6.1",
            found: "no certificate policies", required: "a policy that holds for the whole path",
            code: "errSecInvalidPolicyIdentifiers", remedy: "policy"
        ) { try .intermediate { $0.set(.policyConstraints(explicit: 0)) } },
    ]

    // MARK: Keys, signatures and lifetimes

    private static let reportedKeys = [
        Fault(
            "825 days, an hour and a second", about: Self.leaf, rule: "Apple Security, set_ssl_validity_periods",
            found: "825 days, 1 hour and 1 second", required: "at most 825 days",
            code: "errSecCertificateValidityPeriodTooLong (-67901)", remedy: "for a shorter time",
            wrong: ["825 days, more than 825"]
        ) {
            try .leaf {
                $0.notBefore = DER.utcTime("250101000000Z")
                $0.notAfter = DER.utcTime("270406010001Z")
            }
        },
        Fault(
            "a leaf signed with RSASSA-PSS", about: Self.leaf,
            rule: "Apple Security, SecKeyAlgorithmFromDERAlgorithmId", found: "RSA-PSS with SHA-256",
            required: "sha256WithRSAEncryption", code: "errSecCreateChainFailed (-25318)",
            remedy: "signed with sha256WithRSAEncryption (PKCS #1 v1.5) or ECDSA"
        ) {
            let issuer = CraftedAuthority("Fault Issuing CA", .rsa2048)
            var scene = try FaultScene.leaf { _ in }
            scene.chain = [
                try issuer.leaf(.p256(310)) { $0.setAlgorithm(.pssSHA256) }, try FaultScene.root.authority(issuer),
            ]
            return scene
        },
        Fault(
            "an Ed25519 key", about: Self.leaf, rule: "BR 6.1.5", found: "Ed25519",
            required: "RSA, or a key on P-256 or P-384", code: "errSecUnsupportedKeySize (-67735)",
            remedy: "Make a new key"
        ) { try .leaf(.ed25519(.init())) { _ in } },
        Fault(
            "an intermediate of 1,024 bits", about: Self.issuer, rule: "BR 6.1.5", found: "RSA 1024 bits",
            required: "at least 2048 bits", code: "errSecUnsupportedKeySize (-67735)",
            remedy: "by an authority with a key of RSA of 2,048 bits", wrong: ["Make a new key"]
        ) {
            let issuer = CraftedAuthority("Fault Issuing CA", .rsa1024)
            var scene = try FaultScene.leaf { _ in }
            scene.chain = [try issuer.leaf(.p256(310)), try FaultScene.root.authority(issuer)]
            return scene
        },
    ]

    // MARK: Status

    private static let serial = DER.number(4_711)

    private static let reportedStatus = [
        Fault(
            "a response of a stranger", about: Self.leaf, rule: "RFC 6960 §3.2",
            found: "it is not signed by the issuer",
            required: "a current answer", code: "errSecIncompleteCertRevocationCheck (-67635)",
            remedy: "signed by the issuer"
        ) {
            var response = TestOCSPResponse(signer: .p256(395))
            (response.serial, response.issuerName, response.issuerKey) =
                (Self.serial, FaultScene.issuer.name, FaultScene.issuer.key)
            response.nextUpdate = "20260622000000Z"
            let list = try TestRevocationList(FaultScene.root).view()
            return try FaultScene.leaf { $0.serialNumber = Self.serial }
                .with(
                    ["--ocsp", "@strange.ocsp", "--crl", "@root.crl", "--revocation", "hard"],
                    files: ["strange.ocsp": response.view().bytes, "root.crl": list.bytes])
        },
        Fault(
            "an intermediate whose status is not known", about: Self.issuer, rule: "RFC 6960 §3.2",
            found: "no list or response about it", required: "a current answer",
            code: "errSecIncompleteCertRevocationCheck (-67635)", remedy: "Give or fetch a current revocation list"
        ) {
            let list = try TestRevocationList(FaultScene.issuer).view()
            return try FaultScene.leaf { $0.serialNumber = Self.serial }
                .with(["--crl", "@issuer.crl", "--revocation", "hard"], files: ["issuer.crl": list.bytes])
        },
    ]

    // MARK: Pins that are the digest of something else

    private static func pinned(
        _ name: String, found: String, remedy: String, wrong: [String] = [],
        _ pin: @escaping @Sendable (CertificateView, CertificateView) -> String
    ) -> Fault {
        Fault(
            name, about: Self.leaf, rule: "RFC 7469 §2.6", found: found, required: "one of the pinned keys",
            code: "errSSLATSCertificateTrustViolation (-9886)", remedy: remedy,
            wrong: wrong + ["someone may be in between"]
        ) {
            let scene = try FaultScene.leaf { _ in }
            let value = pin(scene.chain[0], scene.chain[1])
            let file = """
                {"format": "servertrust.pins/1", "domains": [{"host": "www.example.com", "pins": ["sha256/\(value)"]}]}
                """
            return scene.with(["--pins", "@pins.json"], files: ["pins.json": Array(file.utf8)])
        }
    }

    private static func digest(_ octets: some Sequence<UInt8>) -> String {
        (try? Pin(digest: Array(SHA256.hash(data: Array(octets)))))?.base64 ?? ""
    }

    private static let confusedPins = [
        Self.pinned(
            "a pin that is the certificate's digest", found: "the digest of the certificate, not of its key",
            remedy: "The pin of this key is sha256/"
        ) { leaf, _ in Self.digest(leaf.bytes) },
        Self.pinned(
            "a pin that is the digest of the key without its header",
            found: "the digest of the key without its algorithm", remedy: "The pin of this key is sha256/"
        ) { leaf, _ in Self.digest(Certificate(leaf).publicKey.subjectPublicKeyInfo.suffix(65)) },
        Self.pinned(
            "a pin that is the digest of the PEM text", found: "the digest of the certificate's PEM text",
            remedy: "The pin of this key is sha256/"
        ) { leaf, _ in Self.digest(Certificate(leaf).pemRepresentation.utf8) },
        Self.pinned(
            "a pin that is the digest of the intermediate", found: "the digest of the certificate “Fault Issuing CA”",
            remedy: "The pin of this key is sha256/"
        ) { _, issuer in Self.digest(issuer.bytes) },
        Self.pinned(
            "a pin that is the digest of the key in Base64",
            found: "the digest of the key's Base64 text", remedy: "The pin of this key is sha256/"
        ) { leaf, _ in
            Self.digest(Data(Certificate(leaf).publicKey.subjectPublicKeyInfo).base64EncodedString().utf8)
        },
    ]
}
