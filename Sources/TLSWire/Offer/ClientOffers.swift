//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The part of a client's offer that determines the parameters a server chooses.
public struct ClientOffer: Sendable, Hashable {
    /// The cipher suites of TLS 1.2 and older in the order of the offer.
    public var cipherSuites: [CipherSuite]
    /// The groups in the order of the offer.
    public var groups: [NamedGroup]
    /// The signature schemes in the order of the offer.
    public var signatureSchemes: [SignatureScheme]

    /// Creates an offer.
    ///
    /// - Parameters:
    ///   - cipherSuites: The cipher suites. Those of TLS 1.3 are left out, because plans offer all of them.
    ///   - groups: The groups.
    ///   - signatureSchemes: The signature schemes.
    public init(cipherSuites: [CipherSuite], groups: [NamedGroup], signatureSchemes: [SignatureScheme]) {
        self.cipherSuites = cipherSuites.filter { !$0.isTLS13 }
        self.groups = groups
        self.signatureSchemes = signatureSchemes
    }

    package var groupsBeforeTLS13: [NamedGroup] { self.groups.filter(\.isUsableBeforeTLS13) }
}

/// The offers of the clients for which a server is probed.
///
/// A server's answers to these offers decide the verdict. The caller supplies them, because the prober contains no client's
/// parameters.
public struct ClientOffers: Sendable, Hashable {
    /// The offer of App Transport Security without exceptions, with forward secrecy.
    public var ats: ClientOffer
    /// The part of that offer that FCP_v2.1 allows.
    public var fcp: ClientOffer
    /// The suites that exceptions without forward secrecy add, with the same groups and signature schemes.
    public var compatible: ClientOffer
    /// The suites of the client's own hello, including those of TLS 1.3, of which the other offers are parts. `nil` means the
    /// suites of the other offers.
    public var whole: [CipherSuite]?
    /// The arrangement of the client's hello, or `nil` if it is not known.
    public var form: ClientHelloForm?

    /// Creates the offers of the clients.
    public init(ats: ClientOffer, fcp: ClientOffer, compatible: ClientOffer) {
        self.ats = ats
        self.fcp = fcp
        self.compatible = compatible
    }
}

extension ProbeOffer {
    /// Returns the offer with the groups and signature schemes of a client. It always has extensions, even if the server tolerates
    /// none.
    package func made(by client: ClientOffer) -> ProbeOffer {
        var offer = self
        offer.groups = self.newestVersion >= .tls13 ? client.groups : client.groupsBeforeTLS13
        offer.signatureSchemes = client.signatureSchemes
        offer.hasExtensions = true
        offer.isExact = true
        return offer
    }
}
