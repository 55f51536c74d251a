//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting

import struct X509.KeyUsage

/// The certificates of the tests, made once, and policies written as an Info.plist in JSON.
enum ATSFixture {
    static let authority = Result { try TestAuthority(root: Self.withRSA(.root())) }
    static let intermediate = Result { try Self.authority.get().issue(Self.withRSA(.intermediate())) }
    static let rsa = Result { try Self.chain(.rsa2048) }
    static let ecdsa = Result { try Self.chain(.p256) }

    /// A leaf and its intermediate.
    static func chain(
        _ kind: TestKeyKind, _ change: (inout CertificateDescription) -> Void = { _ in }
    ) throws -> [TestCertificate] {
        let intermediate = try Self.intermediate.get()
        var description = CertificateDescription.leaf(dnsNames: [ATSTestClient.host])
        description.keyKind = kind
        // Static RSA is of use with certificates that may encipher keys.
        if kind == .rsa2048 { description.keyUsage = KeyUsage(digitalSignature: true, keyEncipherment: true) }
        change(&description)
        return [try Self.authority.get().issue(description, by: intermediate), intermediate]
    }

    /// With RSA, which can sign over SHA-1.
    private static func withRSA(_ description: CertificateDescription) -> CertificateDescription {
        var description = description
        description.keyKind = .rsa2048
        return description
    }

    /// An enforcement of a dictionary.
    ///
    /// - Parameters:
    ///   - dictionary: The content of `NSAppTransportSecurity`, in JSON; `HOST` stands for the server's name.
    ///   - system: The release of Apple's systems; `nil` for one before iOS 26, so that TLS 1.0 can be allowed, but for
    ///     dictionaries with keys of later ones.
    static func enforcement(
        _ dictionary: String = "{}", system: ATSSystem? = nil, strictness: ATSStrictness = .engine,
        _ change: (inout ServerTrustSettings) -> Void = { _ in }
    ) throws -> ServerTrustGate {
        let text = #"{"NSAppTransportSecurity": \#(dictionary.replacing("HOST", with: ATSTestClient.host))}"#
        let system = system ?? (dictionary.contains("NIAP") ? .newest : ATSSystem(.iOS, 18))
        let policy = ATSPolicy(
            try InfoPropertyList(Array(text.utf8)), configuration: .init(system: system, strictness: strictness))
        var settings = ServerTrustSettings(
            trust: TrustConfiguration(anchors: try Self.authority.get().anchors),
            transportSecurity: .appTransportSecurity(policy))
        settings.handshakeTimeout = .seconds(60)
        // The tests count connections and octets; GateLookTests look.
        settings.looksAtDeliveredEvidence = false
        change(&settings)
        return ServerTrustGate(settings)
    }

    /// A dictionary with an exception for the server.
    static func exception(_ keys: String) -> String { #"{"NSExceptionDomains": {"HOST": {\#(keys)}}}"# }
}
