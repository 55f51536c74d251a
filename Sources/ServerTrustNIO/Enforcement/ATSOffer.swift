//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOSSL

/// What of requirements can be offered to a server, in what BoringSSL has of it.
///
/// The cipher suites of TLS 1.3 cannot be chosen: whether the server's choice was allowed is checked once it is known.
struct ATSOffer: Hashable, Sendable {
    private let minimumVersion: TLSProtocolVersion
    private let maximumVersion: TLSProtocolVersion
    /// Those of TLS 1.2 and older. Empty when only TLS 1.3 is offered.
    private let cipherSuites: [NIOTLSCipher]
    private let includesSHA1: Bool

    /// - Throws: ``ATSOfferError`` if there is nothing that may be offered.
    init(_ requirements: ATSRequirements) throws(ATSOfferError) {
        guard let version = requirements.effectiveMinimumVersion, version <= requirements.systemMaximumVersion else {
            throw ATSOfferError.noVersion
        }
        self.minimumVersion = version
        self.maximumVersion = requirements.systemMaximumVersion
        self.cipherSuites = version < .tls13 ? CipherSuite.offerable(requirements.cipherSuites) : []
        guard version == .tls13 || !self.cipherSuites.isEmpty else { throw ATSOfferError.noCipherSuite }
        self.includesSHA1 = requirements.leavesAlone
    }

    /// A configuration that offers it, and leaves trust to a verification callback.
    ///
    /// - Parameter base: Everything else.
    func configuration(basedOn base: TLSConfiguration) throws(ATSOfferError) -> TLSConfiguration {
        var configuration = base
        let minimum = max(TLSProtocolVersion(base.minimumTLSVersion), self.minimumVersion)
        let maximum = min(base.maximumTLSVersion.map(TLSProtocolVersion.init) ?? .tls13, self.maximumVersion)
        guard minimum <= maximum else { throw ATSOfferError.noVersion }
        if maximum < .tls13 { configuration.maximumTLSVersion = TLSVersion(atLeast: maximum) }
        configuration.minimumTLSVersion = TLSVersion(atLeast: minimum)
        if !self.cipherSuites.isEmpty { configuration.cipherSuiteValues = self.cipherSuites }
        configuration.verifySignatureAlgorithms = Self.signatureAlgorithms + (self.includesSHA1 ? Self.sha1 : [])
        // The callback is never called with `.none`, and with `.fullVerification` NIOSSL adds a judgement of its own.
        configuration.certificateVerification = .noHostnameVerification
        // No roots, since the callback decides; reading the system's would take a thousand times as long.
        configuration.trustRoots = .certificates([])
        configuration.additionalTrustRoots = []
        // What was agreed on is looked at once.
        configuration.renegotiationSupport = .none
        return configuration
    }

    private static let signatureAlgorithms: [SignatureAlgorithm] = [
        .ecdsaSecp256R1Sha256, .rsaPssRsaeSha256, .rsaPkcs1Sha256, .ecdsaSecp384R1Sha384, .rsaPssRsaeSha384,
        .rsaPkcs1Sha384, .ecdsaSecp521R1Sha512, .rsaPssRsaeSha512, .rsaPkcs1Sha512,
    ]
    private static let sha1: [SignatureAlgorithm] = [.rsaPkcs1Sha1, .ecdsaSha1]
}

/// Requirements that nothing can be offered for.
enum ATSOfferError: Error, CustomStringConvertible {
    /// They, and what the program configured, exclude every version of TLS.
    case noVersion
    /// They exclude every cipher suite that BoringSSL has.
    case noCipherSuite

    var description: String {
        switch self {
        case .noVersion: "No version of TLS is left to be offered. Allow newer ones in the configuration of TLS."
        case .noCipherSuite: "No cipher suite is left to be offered. Allow TLS 1.3, or more suites."
        }
    }
}

extension TLSProtocolVersion {
    init(_ version: TLSVersion) {
        switch version {
        case .tlsv1: self = .tls10
        case .tlsv11: self = .tls11
        case .tlsv12: self = .tls12
        case .tlsv13: self = .tls13
        }
    }
}
