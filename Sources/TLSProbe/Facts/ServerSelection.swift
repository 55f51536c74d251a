//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// The parameters that a server chose from one offer.
public struct ServerSelection: Sendable, Hashable {
    /// The offer.
    public var offer: Offer
    /// The version of TLS.
    public var version: TLSProtocolVersion
    /// The cipher suite.
    public var cipherSuite: CipherSuite
    /// The group of the ephemeral key. It is `nil` without a group, or if the group was not seen.
    public var group: NamedGroup?
    /// The signature scheme of the ephemeral key, or of the handshake in TLS 1.3. It is `nil` if it was not seen.
    public var signatureScheme: SignatureScheme?
    /// `true` if the extended master secret binds the keys to the handshake (RFC 7627). It is `nil` in TLS 1.3, which always does
    /// so.
    public var usesExtendedMasterSecret: Bool?
    /// The protocol chosen by ALPN. It is `nil` without a protocol, or if it was not seen.
    public var applicationProtocol: String?
    /// The index of the presented chain in ``ServerFacts/chains``, or `nil` if no chain was seen.
    public var chain: Int?
    /// `true` if the server proved in this handshake that it holds the key.
    public var isComplete = false

    /// An offer with a meaning of its own.
    public enum Offer: String, Sendable, Hashable, CaseIterable {
        /// The offer of App Transport Security without exceptions: TLS 1.3 and 1.2 with forward secrecy.
        case ats
        /// The offer of ``ats`` without TLS 1.3.
        case atsTLS12 = "ats-tls-1.2"
        /// TLS 1.2 with only the suites that FCP_v2.1 allows.
        case fcp
        /// TLS 1.2 with the suites that exceptions without forward secrecy add.
        case compatible
        /// TLS 1.1 as the newest version, with every suite.
        case tls11 = "tls-1.1"
        /// TLS 1.0 as the newest version, with every suite.
        case tls10 = "tls-1.0"
        /// Every suite of TLS 1.2, one of the offers that find all suites.
        case everything
    }

    /// Creates a selection from the required parameters.
    public init(_ offer: Offer, _ version: TLSProtocolVersion, cipherSuite: CipherSuite) {
        self.offer = offer
        self.version = version
        self.cipherSuite = cipherSuite
    }
}

extension ClientOffers {
    /// The offer with a name. All names but these two mean the offer without exceptions.
    subscript(offer: ServerSelection.Offer) -> ClientOffer {
        switch offer {
        case .fcp: self.fcp
        case .compatible: self.compatible
        default: self.ats
        }
    }
}

/// A certificate chain that a server presented.
///
/// The certificates are unverified. ``isProven`` only tells that the server holds the key of the first one.
public struct ChainFact: Sendable, Hashable {
    /// The certificates in DER in the order sent, the server's own first. They are never empty.
    public var certificates: [[UInt8]]
    /// The versions of TLS in which the chain was presented, the newest first.
    public var versions: [TLSProtocolVersion] = []
    /// The stapled OCSP response in DER, not parsed.
    public var ocspResponse: [UInt8]?
    /// The list of signed certificate timestamps sent with the chain (RFC 6962 §3.3.1), not parsed.
    public var timestamps: [UInt8]?
    /// `true` if a handshake proved that the server holds the key of the first certificate.
    public var isProven = false
    /// `true` if the key of the first certificate signs handshakes.
    ///
    /// Its key usage must then allow digital signatures (RFC 5280 §4.2.1.3, RFC 8446 §4.4.2.2). This is so in TLS 1.3 and with
    /// ephemeral keys.
    public var signsHandshakes = false
    /// `true` if clients encrypt the secret of a handshake with the key of the first certificate, as in static RSA.
    ///
    /// Its key usage must then allow keyEncipherment (RFC 5246 §7.4.2).
    public var deciphersSecrets = false

    /// Creates a chain from its certificates.
    public init(_ certificates: [[UInt8]]) {
        self.certificates = certificates
    }
}
