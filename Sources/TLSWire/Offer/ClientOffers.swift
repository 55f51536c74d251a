//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a client offers, as far as it decides what a server agrees on.
public struct ClientOffer: Sendable, Hashable {
    /// The cipher suites of TLS 1.2 and older in the order of the offer.
    public var cipherSuites: [CipherSuite]
    /// The groups in the order of the offer.
    public var groups: [NamedGroup]
    /// The signature schemes in the order of the offer.
    public var signatureSchemes: [SignatureScheme]

    /// An offer.
    ///
    /// - Parameters:
    ///   - cipherSuites: The cipher suites; those of TLS 1.3 are left out, as plans offer all of them.
    ///   - groups: The groups.
    ///   - signatureSchemes: The signature schemes.
    public init(cipherSuites: [CipherSuite], groups: [NamedGroup], signatureSchemes: [SignatureScheme]) {
        self.cipherSuites = cipherSuites.filter { !$0.isTLS13 }
        self.groups = groups
        self.signatureSchemes = signatureSchemes
    }

    /// The groups that exist before TLS 1.3.
    package var groupsBeforeTLS13: [NamedGroup] { self.groups.filter(\.isUsableBeforeTLS13) }
}

/// The offers of the clients that a server is asked for: what it answers to each of them is what decides.
///
/// The caller gives them: a prober knows no client.
public struct ClientOffers: Sendable, Hashable {
    /// The offer without exceptions, with forward secrecy.
    public var ats: ClientOffer
    /// What FCP_v2.1 leaves of it.
    public var fcp: ClientOffer
    /// The suites that exceptions without forward secrecy add, with the same groups and signature schemes.
    public var compatible: ClientOffer
    /// The offer of the client's own hello, of which the others are parts, with its suites of TLS 1.3; `nil` for the suites
    /// of the others.
    public var whole: [CipherSuite]?
    /// How the client arranges its hello; `nil` where that is not known.
    public var form: ClientHelloForm?

    /// Offers.
    public init(ats: ClientOffer, fcp: ClientOffer, compatible: ClientOffer) {
        self.ats = ats
        self.fcp = fcp
        self.compatible = compatible
    }
}

extension ProbeOffer {
    /// The offer as a client makes it, as far as it decides what is chosen: with its groups and signature schemes, and
    /// with extensions, whatever else a server wants to hear.
    package func made(by client: ClientOffer) -> ProbeOffer {
        var offer = self
        offer.groups = self.newestVersion >= .tls13 ? client.groups : client.groupsBeforeTLS13
        offer.signatureSchemes = client.signatureSchemes
        offer.hasExtensions = true
        offer.isExact = true
        return offer
    }
}
