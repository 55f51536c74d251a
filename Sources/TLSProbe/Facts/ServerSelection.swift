//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// What a server agreed on when it was made one offer.
public struct ServerSelection: Sendable, Hashable {
    /// What it was offered.
    public var offer: Offer
    /// The version.
    public var version: TLSProtocolVersion
    /// The cipher suite.
    public var cipherSuite: CipherSuite
    /// The group for ephemeral keys; `nil` where no group is used, or no group was seen.
    public var group: NamedGroup?
    /// What its ephemeral key, or in TLS 1.3 the handshake, was signed with; `nil` where it was not seen.
    public var signatureScheme: SignatureScheme?
    /// Whether it binds keys older than TLS 1.3's to the handshake (RFC 7627); `nil` in TLS 1.3, which always does.
    public var usesExtendedMasterSecret: Bool?
    /// The protocol chosen by ALPN; `nil` where there was none, or it was not seen.
    public var applicationProtocol: String?
    /// The place in ``ServerFacts/chains`` of what it presented; `nil` where that was not seen.
    public var chain: Int?
    /// Whether the server has proven in this handshake to hold the key.
    public var isComplete = false

    /// An offer that tells something by itself.
    public enum Offer: String, Sendable, Hashable, CaseIterable {
        /// What App Transport Security offers without exceptions: TLS 1.3 and 1.2 with forward secrecy.
        case ats
        /// The same without TLS 1.3.
        case atsTLS12 = "ats-tls-1.2"
        /// TLS 1.2 with nothing but what FCP_v2.1 takes.
        case fcp
        /// TLS 1.2 with what exceptions without forward secrecy allow besides.
        case compatible
        /// TLS 1.1 as the newest version, with every suite.
        case tls11 = "tls-1.1"
        /// TLS 1.0 as the newest version, with every suite.
        case tls10 = "tls-1.0"
        /// Every suite of TLS 1.2, one of the offers that all suites are found with.
        case everything
    }

    /// What was agreed on.
    public init(_ offer: Offer, _ version: TLSProtocolVersion, cipherSuite: CipherSuite) {
        self.offer = offer
        self.version = version
        self.cipherSuite = cipherSuite
    }
}

extension ClientOffers {
    /// One of the offers by its name: the offer without exceptions for all others than these.
    subscript(offer: ServerSelection.Offer) -> ClientOffer {
        switch offer {
        case .fcp: self.fcp
        case .compatible: self.compatible
        default: self.ats
        }
    }
}

/// A chain of certificates that a server presented.
public struct ChainFact: Sendable, Hashable {
    /// The certificates in DER, in the order the server sent them, its own first; never empty.
    public var certificates: [[UInt8]]
    /// The versions of TLS it was presented in, the newest first.
    public var versions: [TLSProtocolVersion] = []
    /// The OCSP response that came with it, in DER, unread.
    public var ocspResponse: [UInt8]?
    /// The list of signed certificate timestamps that came with it (RFC 6962 §3.3.1), unread.
    public var timestamps: [UInt8]?
    /// Whether the server has proven, by a handshake, to hold the key of the first certificate.
    public var isProven = false
    /// Whether the key of the first certificate signs handshakes that the chain is presented in, so that its key usage must
    /// allow digital signatures (RFC 5280 §4.2.1.3, RFC 8446 §4.4.2.2): all of TLS 1.3, and those with ephemeral keys.
    public var signsHandshakes = false
    /// True if clients encrypt the secret of a handshake with the key of the first certificate, so that its key usage must
    /// allow that (keyEncipherment; RFC 5246 §7.4.2): static RSA.
    public var deciphersSecrets = false

    /// A chain.
    public init(_ certificates: [[UInt8]]) {
        self.certificates = certificates
    }
}
