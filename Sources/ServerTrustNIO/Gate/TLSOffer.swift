//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
package import NIOSSL
import TLSWire

/// What Apple's systems offer under some requirements (`ATSClientHello`), as far as BoringSSL has it.
///
/// The cipher suites of TLS 1.3 cannot be chosen: whether the server's choice was allowed is checked once it is known.
struct TLSOffer: Hashable, Sendable {
    private let minimumVersion: TLSProtocolVersion
    private let maximumVersion: TLSProtocolVersion
    /// Those of TLS 1.2 and older. Empty when only TLS 1.3 is offered.
    private let cipherSuites: [NIOTLSCipher]
    private let groups: [NIOTLSCurve]
    private let signatureSchemes: [SignatureAlgorithm]

    /// - Throws: ``TLSOfferError`` if there is nothing that may be offered.
    init(_ requirements: ATSRequirements) throws(TLSOfferError) {
        guard let version = requirements.effectiveMinimumVersion, version <= requirements.systemMaximumVersion else {
            throw TLSOfferError.noVersion
        }
        self.minimumVersion = version
        self.maximumVersion = requirements.systemMaximumVersion
        let hello = requirements.clientHello
        self.cipherSuites = version < .tls13 ? CipherSuite.offerable(hello.cipherSuites) : []
        guard version == .tls13 || !self.cipherSuites.isEmpty else { throw TLSOfferError.noCipherSuite }
        self.groups = NamedGroup.offerable(hello.groups)
        self.signatureSchemes = requirements.signatureSchemes.map { SignatureAlgorithm(rawValue: $0.rawValue) }
    }

    /// A configuration that offers it, and leaves trust to a verification callback.
    ///
    /// - Parameter base: Everything else.
    func configuration(basedOn base: TLSConfiguration) throws(TLSOfferError) -> TLSConfiguration {
        var configuration = base
        let minimum = max(TLSProtocolVersion(base.minimumTLSVersion), self.minimumVersion)
        let maximum = min(base.maximumTLSVersion.map(TLSProtocolVersion.init) ?? .tls13, self.maximumVersion)
        guard minimum <= maximum else { throw TLSOfferError.noVersion }
        if maximum < .tls13 { configuration.maximumTLSVersion = TLSVersion(atLeast: maximum) }
        configuration.minimumTLSVersion = TLSVersion(atLeast: minimum)
        if !self.cipherSuites.isEmpty { configuration.cipherSuiteValues = self.cipherSuites }
        configuration.curves = try self.groups(among: base.curves)
        configuration.verifySignatureAlgorithms = try self.schemes(among: base.verifySignatureAlgorithms)
        configuration.leaveTrustToCallback()
        // What was agreed on is looked at once.
        configuration.renegotiationSupport = .none
        return configuration
    }

    /// Those of the program's own that are on offer, in its order; all where it left them open.
    private func groups(among chosen: [NIOTLSCurve]?) throws(TLSOfferError) -> [NIOTLSCurve] {
        guard let chosen else { return self.groups }
        let left = chosen.filter(self.groups.contains)
        guard !left.isEmpty else { throw TLSOfferError.noGroup }
        return left
    }
}

extension TLSOffer {
    /// Those of the program's own that are on offer; all where it left them open.
    private func schemes(
        among chosen: [SignatureAlgorithm]?
    ) throws(TLSOfferError) -> [SignatureAlgorithm] {
        guard let chosen else { return self.signatureSchemes }
        let left = self.signatureSchemes.filter(chosen.contains)
        // BoringSSL takes an empty list for its own, which has SHA-1.
        guard !left.isEmpty else { throw TLSOfferError.noSignatureAlgorithm }
        return left
    }
}

extension ATSRequirements {
    /// The signatures over handshakes that are let through.
    ///
    /// Apple's systems offer SHA-1 all the same. Where App Transport Security demands SHA-256 of certificates, a handshake
    /// that is signed over SHA-1 is not let through here either.
    var signatureSchemes: [SignatureScheme] {
        self.clientHello.signatureSchemes.filter { self.leavesAlone || !$0.usesSHA1 }
    }
}

extension TLSConfiguration {
    /// Returns a client's configuration whose servers must not sign handshakes over SHA-1.
    package static func makeClientConfigurationWithoutSHA1() -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        let schemes = ATSRequirements().clientHello.signatureSchemes.filter { !$0.usesSHA1 }
        configuration.verifySignatureAlgorithms = schemes.map { SignatureAlgorithm(rawValue: $0.rawValue) }
        return configuration
    }
}

/// Requirements that nothing can be offered for.
enum TLSOfferError: Error, CustomStringConvertible {
    /// They, and what the program configured, exclude every version of TLS.
    case noVersion
    /// They exclude every cipher suite that BoringSSL has.
    case noCipherSuite
    /// The program configured only groups that Apple's systems do not offer.
    case noGroup
    /// The program configured only signature algorithms that Apple's systems do not offer.
    case noSignatureAlgorithm

    var description: String {
        switch self {
        case .noVersion: "No version of TLS is left to be offered. Allow newer ones in the configuration of TLS."
        case .noGroup: "No group is left to be offered. Leave the groups in the configuration of TLS open."
        case .noSignatureAlgorithm:
            "No signature algorithm is left to be offered. Leave them in the configuration of TLS open."
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
