//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
package import NIOSSL
import TLSWire

/// The offer of Apple's systems under given requirements (`ATSClientHello`), as far as BoringSSL supports it.
///
/// BoringSSL's cipher suites of TLS 1.3 cannot be configured, so the server's choice is checked after its ServerHello.
struct TLSOffer: Hashable, Sendable {
    private let minimumVersion: TLSProtocolVersion
    private let maximumVersion: TLSProtocolVersion
    /// The cipher suites of TLS 1.2 and older. Empty if only TLS 1.3 is offered.
    private let cipherSuites: [NIOTLSCipher]
    private let groups: [NIOTLSCurve]
    private let signatureSchemes: [SignatureAlgorithm]

    /// Creates the offer for the requirements.
    ///
    /// - Throws: ``TLSOfferError`` if nothing may be offered.
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

    /// Returns a configuration with this offer that leaves trust to a verification callback.
    ///
    /// - Parameter base: The program's configuration, which supplies everything else.
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
        // The negotiated parameters are checked only once.
        configuration.renegotiationSupport = .none
        return configuration
    }

    /// Returns the program's groups that may be offered, in the program's order, or all groups of the offer if the program named
    /// none.
    private func groups(among chosen: [NIOTLSCurve]?) throws(TLSOfferError) -> [NIOTLSCurve] {
        guard let chosen else { return self.groups }
        let left = chosen.filter(self.groups.contains)
        guard !left.isEmpty else { throw TLSOfferError.noGroup }
        return left
    }
}

extension TLSOffer {
    /// Returns the offered signature algorithms that the program named, or all of them if the program named none.
    private func schemes(
        among chosen: [SignatureAlgorithm]?
    ) throws(TLSOfferError) -> [SignatureAlgorithm] {
        guard let chosen else { return self.signatureSchemes }
        let left = self.signatureSchemes.filter(chosen.contains)
        // BoringSSL replaces an empty list by its own, which includes SHA-1.
        guard !left.isEmpty else { throw TLSOfferError.noSignatureAlgorithm }
        return left
    }
}

extension ATSRequirements {
    /// The signature schemes accepted in handshakes.
    ///
    /// Apple's systems offer SHA-1 in every case. If App Transport Security requires SHA-256 for certificates, a handshake signed
    /// with SHA-1 is refused here as well.
    var signatureSchemes: [SignatureScheme] {
        self.clientHello.signatureSchemes.filter { self.leavesAlone || !$0.usesSHA1 }
    }
}

extension TLSConfiguration {
    package static func makeClientConfigurationWithoutSHA1() -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        let schemes = ATSRequirements().clientHello.signatureSchemes.filter { !$0.usesSHA1 }
        configuration.verifySignatureAlgorithms = schemes.map { SignatureAlgorithm(rawValue: $0.rawValue) }
        return configuration
    }
}

/// The error for requirements that leave nothing to offer.
enum TLSOfferError: Error, CustomStringConvertible {
    /// The requirements and the program's configuration exclude every version of TLS.
    case noVersion
    /// The requirements exclude every cipher suite of BoringSSL.
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
