//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// The cipher suites that Apple's systems offer under App Transport Security, with exceptions and without.
///
/// They are given by whoever knows the rules: a prober only asks.
public struct AppleOffers: Sendable, Hashable {
    /// Those of TLS 1.2 with forward secrecy.
    public var ats: [CipherSuite]
    /// Those that FCP_v2.1 leaves of them.
    public var fcp: [CipherSuite]
    /// Those that exceptions without forward secrecy add.
    public var compatible: [CipherSuite]

    /// Offers, each in the order in which it is made; suites of TLS 1.3 are left out.
    public init(ats: [CipherSuite], fcp: [CipherSuite], compatible: [CipherSuite]) {
        self.ats = ats.filter { !$0.isTLS13 }
        self.fcp = fcp.filter { !$0.isTLS13 }
        self.compatible = compatible.filter { !$0.isTLS13 }
    }

    /// The groups that come with all of them, the preferred first; the first in TLS 1.3 alone.
    package static let groups: [NamedGroup] = [.x25519MLKEM768, .x25519, .secp256r1, .secp384r1, .secp521r1]
    /// Those that come with all versions.
    package static let curves = groups.filter(\.isUsableBeforeTLS13)
}

extension ServerSelection {
    /// Whether it is known to be signed with something that FCP_v2.1 offers: not over SHA-1.
    var isSignedForFCP: Bool {
        self.signatureScheme.map { SignatureScheme.preferred.contains($0) && !$0.usesSHA1 } ?? false
    }
}

extension ProbeOffer {
    /// The offer as Apple's systems make it, as far as it decides what is chosen: their groups and signature schemes.
    /// They send extensions, whatever else a server wants to hear.
    func asApple(isFCP: Bool = false) -> ProbeOffer {
        var offer = self
        offer.groups = self.newestVersion >= .tls13 ? AppleOffers.groups : AppleOffers.curves
        offer.signatureSchemes = SignatureScheme.preferred.filter { !isFCP || !$0.usesSHA1 }
        offer.hasExtensions = true
        offer.isExact = true
        return offer
    }
}
