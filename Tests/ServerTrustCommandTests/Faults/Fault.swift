//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust
import TestSupport

/// A fault of a chain, and what the command has to say of it.
struct Fault: Sendable, CustomStringConvertible {
    let name: String
    let checklist: FaultChecklist
    let scene: @Sendable () throws -> FaultScene

    var description: String { self.name }

    init(
        _ name: String, about certificate: String, rule: String, found: String, required: String, code: String,
        remedy: String, wrong: [String] = [], scene: @escaping @Sendable () throws -> FaultScene
    ) {
        self.name = name
        self.checklist = FaultChecklist(
            certificate: certificate, rule: rule, found: found, required: required, code: code, remedy: remedy,
            wrong: wrong)
        self.scene = scene
    }

    static let all =
        Self.dates + Self.names + Self.chains + Self.uses + Self.strengths + Self.status + Self.fromReports

    static let leaf = "0 of the path, CN=www.example.com"
    static let issuer = "1 of the path, O=Test, CN=Fault Issuing CA"
    static let root = "2 of the path, O=Test, CN=Fault Root"
    private static let clientAuth = "1.3.6.1.5.5.7.3.2"

    // MARK: Dates

    private static let dates = [
        Fault(
            "expired leaf", about: leaf, rule: "RFC 5280 §4.1.2.5", found: "valid until 2026-05-20T00:00:00Z",
            required: "valid at 2026-06-01T00:00:00Z", code: "errSecCertificateExpired (-67818)",
            remedy: "Renew the certificate"
        ) { try .leaf { $0.notAfter = DER.utcTime("260520000000Z") } },
        Fault(
            "leaf not valid yet", about: leaf, rule: "RFC 5280 §4.1.2.5", found: "valid from 2026-07-01T00:00:00Z",
            required: "valid at 2026-06-01T00:00:00Z", code: "errSecCertificateExpired (-67818)",
            remedy: "wait, or have the certificate issued"
        ) { try .leaf { $0.notBefore = DER.utcTime("260701000000Z") } },
        Fault(
            "expired intermediate", about: issuer, rule: "RFC 5280 §4.1.2.5", found: "valid until 2026-05-20",
            required: "valid at 2026-06-01", code: "errSecCertificateExpired (-67818)",
            remedy: "download the current intermediate", wrong: ["Renew"]
        ) { try .intermediate { $0.notAfter = DER.utcTime("260520000000Z") } },
        Fault(
            "expired root", about: root, rule: "RFC 5280 §4.1.2.5", found: "valid until 2026-05-20",
            required: "valid at 2026-06-01", code: "errSecCertificateExpired (-67818)",
            remedy: "get a certificate that leads to a current root", wrong: ["Renew"]
        ) {
            var scene = try FaultScene.leaf { _ in }
            scene.roots = [try FaultScene.root.authority { $0.notAfter = DER.utcTime("260520000000Z") }]
            return scene
        },
        Fault(
            "900 days", about: leaf, rule: "Apple Security, set_ssl_validity_periods", found: "900 days",
            required: "at most 825 days", code: "errSecCertificateValidityPeriodTooLong (-67901)",
            remedy: "for a shorter time"
        ) {
            try .leaf {
                $0.notBefore = DER.utcTime("250101000000Z")
                $0.notAfter = DER.utcTime("270620000000Z")
            }
        },
    ]

    // MARK: Names

    private static let names = [
        Fault(
            "another host", about: leaf, rule: "RFC 9525 §6", found: "www.example.com", required: "mail.example.com",
            code: "errSecHostNameMismatch (-67602)", remedy: "Connect under a name the certificate has"
        ) { try .leaf(host: "mail.example.com") { _ in } },
        Fault(
            "a wildcard one label short", about: leaf, rule: "RFC 9525 §6", found: "*.example.com",
            required: "a.b.example.com", code: "errSecHostNameMismatch (-67602)",
            remedy: "have this one added to its subject alternative name"
        ) { try .leaf(host: "a.b.example.com") { $0.set(.alternativeNames([.dns("*.example.com")])) } },
        Fault(
            "a name that ends with a dot", about: leaf, rule: "RFC 9525 §6", found: "www.example.com.",
            required: "www.example.com", code: "errSecHostNameMismatch (-67602)",
            remedy: "no name that it has now can match a host", wrong: ["Connect under a name"]
        ) { try .leaf { $0.set(.alternativeNames([.dns("www.example.com.")])) } },
        Fault(
            "a wildcard below a public suffix", about: leaf, rule: "RFC 9525 §6", found: "*.co.uk",
            required: "shop.co.uk",
            code: "errSecHostNameMismatch (-67602)", remedy: "no name that it has now can match a host",
            wrong: ["Connect under"]
        ) { try .leaf(host: "shop.co.uk") { $0.set(.alternativeNames([.dns("*.co.uk")])) } },
        Fault(
            "a common name alone", about: leaf, rule: "RFC 9525 §6", found: "common name www.example.com",
            required: "www.example.com", code: "errSecHostNameMismatch (-67602)",
            remedy: "with this name in its subject alternative name", wrong: ["Connect under"]
        ) { try .leaf { $0.remove("2.5.29.17") } },
        Fault(
            "an address as a DNS name", about: leaf, rule: "RFC 9525 §6", found: "192.0.2.7 (as a DNS name",
            required: "192.0.2.7", code: "errSecHostNameMismatch (-67602)",
            remedy: "with the address as an IP address", wrong: ["is for 192.0.2.7, not for 192.0.2.7"]
        ) { try .leaf(host: "192.0.2.7") { $0.set(.alternativeNames([.dns("192.0.2.7")])) } },
        Fault(
            "a name outside of what is permitted", about: leaf, rule: "RFC 5280 §4.2.1.10", found: "www.example.com",
            required: "a name within", code: "errSecInvalidName (-67689)",
            remedy: "by an issuer that may vouch for these"
        ) { try .intermediate { $0.set(.nameConstraints(permitted: [.dns("example.org")])) } },
        Fault(
            "a name that is excluded", about: leaf, rule: "RFC 5280 §4.2.1.10", found: "www.example.com",
            required: "a name outside of", code: "errSecInvalidName (-67689)",
            remedy: "for names that the issuer may vouch for"
        ) { try .intermediate { $0.set(.nameConstraints(excluded: [.dns("example.com")])) } },
    ]

    // MARK: Chains

    private static let chains = [
        Fault(
            "a missing intermediate", about: leaf, rule: "RFC 5280 §6.1", found: "no such certificate",
            required: "“O=Test, CN=Fault Issuing CA”, key identifier", code: "errSecCreateChainFailed (-25318)",
            remedy: "have the server send it behind its own certificate"
        ) {
            var scene = try FaultScene.leaf { _ in }
            scene.chain.removeLast()
            return scene
        },
        Fault(
            "a missing intermediate that can be fetched", about: leaf, rule: "RFC 5280 §6.1",
            found: "no such certificate",
            required: "“O=Test, CN=Fault Issuing CA”", code: "errSecCreateChainFailed (-25318)",
            remedy: "--fetch-issuers"
        ) {
            let url = DER.element(0x86, Array("http://ca.example.com/issuer.der".utf8))
            let access = DER.sequence(DER.sequence(DER.oid("1.3.6.1.5.5.7.48.2"), url))
            var scene = try FaultScene.leaf { $0.set(TestExtension("1.3.6.1.5.5.7.1.1", access)) }
            scene.chain.removeLast()
            return scene
        },
        Fault(
            "a root that is not trusted and was not sent", about: issuer, rule: "RFC 5280 §6.1",
            found: "no such certificate",
            required: "“O=Test, CN=Fault Root”", code: "errSecCreateChainFailed (-25318)",
            remedy: "To trust it here, give --roots FILE.", wrong: ["missing intermediate"]
        ) {
            var scene = try FaultScene.leaf { _ in }
            scene.roots = [try CraftedAuthority("Other Root", .p256(399)).authority()]
            return scene
        },
        Fault(
            "a root that is not trusted and was sent", about: root, rule: "RFC 5280 §6.1",
            found: "self-signed, SHA-256",
            required: "a trusted root", code: "errSecNotTrusted (-67843)",
            remedy: "To trust it here, give --roots FILE."
        ) {
            var scene = try FaultScene.leaf { _ in }
            scene.chain += scene.roots
            scene.roots = [try CraftedAuthority("Other Root", .p256(399)).authority()]
            return scene
        },
        Fault(
            "a self-signed server", about: leaf, rule: "RFC 5280 §6.1", found: "self-signed, SHA-256",
            required: "a trusted root", code: "errSecNotTrusted (-67843)",
            remedy: "have it issued by an authority of your own", wrong: ["whose root it is", "The root “"]
        ) {
            let server = CraftedAuthority(name: TestDER.name([[.cn("www.example.com")]]), .p256(310))
            return FaultScene(
                chain: [try server.leaf(.p256(310))],
                roots: [try CraftedAuthority("Other Root", .p256(399)).authority()])
        },
        Fault(
            "a signature that does not hold", about: leaf, rule: "RFC 5280 §6.1.3",
            found: "a signature of another key than that of “Fault Issuing CA”",
            required: "a signature of its issuer's key", code: "errSecCreateChainFailed (-25318)",
            remedy: "Install the certificate and its intermediates again"
        ) { try .leaf { $0.signer = .p256(398) } },
        Fault(
            "an issuer that is no authority", about: issuer, rule: "RFC 5280 §6.1.4",
            found: "basic constraints with cA FALSE",
            required: "basic constraints with cA TRUE", code: "errSecNoBasicConstraintsCA (-67605)",
            remedy: "Have the leaf issued by a certificate authority"
        ) { try .intermediate { $0.set(.basicConstraints(false)) } },
        Fault(
            "an issuer without basic constraints", about: issuer, rule: "RFC 5280 §6.1.4",
            found: "no basic constraints",
            required: "basic constraints with cA TRUE", code: "errSecNoBasicConstraints (-67604)",
            remedy: "Have the leaf issued by a certificate authority"
        ) { try .intermediate { $0.remove("2.5.29.19") } },
        Fault(
            "a path length of 0 above another intermediate", about: "2 of the path, O=Test, CN=Fault Second CA",
            rule: "RFC 5280 §4.2.1.9", found: "1 intermediate below it", required: "at most 0",
            code: "errSecPathLengthConstraintExceeded (-67611)", remedy: "that may issue this far down"
        ) {
            var scene = try FaultScene.leaf { _ in }
            let upper = try FaultScene.root.authority(FaultScene.second) {
                $0.set(.basicConstraints(true, pathLength: 0))
            }
            scene.chain = [scene.chain[0], try FaultScene.second.authority(FaultScene.issuer), upper]
            return scene
        },
        Fault(
            "key identifiers that do not agree", about: leaf, rule: "RFC 5280 §4.2.1.1",
            found: "authority key identifier 01:02",
            required: "the subject key identifier of its issuer", code: "errSecInvalidIDLinkage (-67610)",
            remedy: "send the issuer with the subject key identifier"
        ) { try .leaf { $0.set(.authorityKeyIdentifier([1, 2])) } },
    ]

    // MARK: Uses and extensions

    private static let uses = [
        Fault(
            "a certificate for clients", about: leaf, rule: "RFC 5280 §4.2.1.12",
            found: "clientAuth (1.3.6.1.5.5.7.3.2)",
            required: "serverAuth", code: "errSecInvalidExtendedKeyUsage (-67609)",
            remedy: "issued with the usage that is required"
        ) { try .leaf { $0.set(.extendedKeyUsage(Self.clientAuth)) } },
        Fault(
            "an intermediate for clients", about: issuer, rule: "RFC 5280 §4.2.1.12", found: "clientAuth",
            required: "serverAuth", code: "errSecInvalidExtendedKeyUsage (-67609)",
            remedy: "by an authority that may issue for this use"
        ) { try .intermediate { $0.set(.extendedKeyUsage(Self.clientAuth)) } },
        Fault(
            "an intermediate without keyCertSign", about: issuer, rule: "RFC 5280 §4.2.1.3", found: "cRLSign",
            required: "keyCertSign", code: "errSecInvalidKeyUsageForPolicy (-67608)",
            remedy: "keyCertSign in its key usage"
        ) { try .intermediate { $0.set(.keyUsage(6)) } },
        Fault(
            "an unknown critical extension", about: leaf, rule: "RFC 5280 §4.2", found: "1.2.3.4, critical",
            required: "critical extensions that are known here", code: "errSecUnknownCriticalExtensionFlag (-67603)",
            remedy: "without the extension, or with the extension not critical"
        ) { try .leaf { $0.set(TestExtension("1.2.3.4", critical: true, [5, 0])) } },
        Fault(
            "an extension twice", about: leaf, rule: "RFC 5280 §4.2", found: "keyUsage (2.5.29.15) twice",
            required: "each extension once", code: "errSecCertificateDuplicateExtension (-67903)",
            remedy: "writes its extensions correctly and once"
        ) { try .leaf { $0.extensions.append(.keyUsage(0)) } },
        Fault(
            "version 1", about: leaf, rule: "BR 7.1.2.7.10", found: "a certificate of version 1",
            required: "serverAuth", code: "errSecInvalidExtendedKeyUsage (-67609)",
            remedy: "openssl x509 -req needs -extfile"
        ) {
            var scene = try FaultScene.leaf { $0.makeVersion1() }
            scene.arguments = ["--profile", "webpki"]
            return scene
        },
    ]

    // MARK: Strength

    private static let strengths = [
        Fault(
            "RSA of 1,024 bits", about: leaf, rule: "BR 6.1.5", found: "RSA 1024 bits", required: "at least 2048 bits",
            code: "errSecUnsupportedKeySize (-67735)", remedy: "Make a new key"
        ) { try .leaf(.rsa1024) { _ in } },
        Fault(
            "a key on secp256k1", about: leaf, rule: "Apple Security, SecCertificateIsWeakKey",
            found: "a curve that is not of NIST", required: "a key on P-256 or P-384",
            code: "errSecUnsupportedKeySize (-67735)", remedy: "Make a new key", wrong: ["at least 256 bits"]
        ) {
            try .leaf {
                $0.key = TestKey.curveInfo("1.3.132.0.10", [4] + [UInt8](repeating: 7, count: 64))
            }
        },
        Fault(
            "a leaf over SHA-1", about: leaf, rule: "BR 7.1.3.2", found: "SHA-1", required: "SHA-256",
            code: "errSecInvalidDigestAlgorithm (-67815)",
            remedy: "Have the certificate issued again, signed over SHA-256"
        ) { try .leaf { $0.setAlgorithm(.ecdsaSHA1) } },
        Fault(
            "an intermediate over SHA-1", about: issuer, rule: "BR 7.1.3.2", found: "SHA-1", required: "SHA-256",
            code: "errSecInvalidDigestAlgorithm (-67815)", remedy: "send an intermediate that is signed over SHA-256"
        ) { try .intermediate { $0.setAlgorithm(.ecdsaSHA1) } },
        Fault(
            "a negative serial number under webpki", about: leaf, rule: "RFC 5280 §4.1.2.2",
            found: "serial number FF:01",
            required: "positive", code: "errSecNotTrusted (-67843)",
            remedy: "by an authority that keeps RFC 5280 §4.1.2.2"
        ) {
            try FaultScene.leaf { $0.serialNumber = DER.element(0x02, [0xFF, 0x01]) }.with(["--profile", "webpki"])
        },
    ]

    // MARK: Status and pins

    private static let serial = DER.number(4_711)

    private static let status = [
        Fault(
            "revoked by a list", about: leaf, rule: "RFC 5280 §6.3", found: "revoked on 2026-05-20",
            required: "not revoked",
            code: "errSecCertificateRevoked (-67820)", remedy: "Do not use the certificate any more"
        ) {
            let list = try TestRevocationList(FaultScene.issuer, revoking: [Self.serial]).view()
            return try FaultScene.leaf { $0.serialNumber = Self.serial }
                .with(["--crl", "@list.crl"], files: ["list.crl": list.bytes])
        },
        Fault(
            "an intermediate revoked by a list", about: issuer, rule: "RFC 5280 §6.3", found: "revoked on 2026-05-20",
            required: "not revoked", code: "errSecCertificateRevoked (-67820)", remedy: "from another intermediate"
        ) {
            let list = try TestRevocationList(FaultScene.root, revoking: [Self.serial]).view()
            return try FaultScene.intermediate { $0.serialNumber = Self.serial }
                .with(["--crl", "@list.crl"], files: ["list.crl": list.bytes])
        },
        Fault(
            "a response that ended", about: leaf, rule: "RFC 6960 §3.2", found: "it ended on 2026-05-22T00:00:00Z",
            required: "a current answer", code: "errSecIncompleteCertRevocationCheck (-67635)",
            remedy: "Get a list or response that is current"
        ) {
            var response = TestOCSPResponse(signer: FaultScene.issuer.key)
            (response.serial, response.issuerName, response.issuerKey) =
                (Self.serial, FaultScene.issuer.name, FaultScene.issuer.key)
            (response.thisUpdate, response.producedAt) = ("20260515000000Z", "20260515000000Z")
            response.nextUpdate = "20260522000000Z"
            let list = try TestRevocationList(FaultScene.root).view()
            return try FaultScene.leaf { $0.serialNumber = Self.serial }
                .with(
                    ["--ocsp", "@old.ocsp", "--crl", "@root.crl", "--revocation", "hard"],
                    files: ["old.ocsp": response.view().bytes, "root.crl": list.bytes])
        },
        Fault(
            "no status where it must be known", about: leaf, rule: "RFC 6960 §3.2",
            found: "no list or response about it",
            required: "a current answer", code: "errSecIncompleteCertRevocationCheck (-67635)",
            remedy: "Give or fetch a current revocation list"
        ) { try FaultScene.leaf { _ in }.with(["--revocation", "hard"]) },
        Fault(
            "must-staple without a response", about: leaf, rule: "RFC 7633 §4.3.1", found: "no stapled response",
            required: "a stapled response that is current and good",
            code: "errSecIncompleteCertRevocationCheck (-67635)",
            remedy: "Turn OCSP stapling on"
        ) { try FaultScene.leaf { $0.set(.tlsFeature([5])) }.with(["--must-staple"]) },
    ]
}
