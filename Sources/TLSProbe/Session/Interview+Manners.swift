//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

extension Interview {
    /// How hellos have to be.
    struct Manners: Sendable {
        /// The most suites in one of them; `nil` for any number.
        var maximumSuites: Int?
        /// Whether they may have extensions.
        var hasExtensions = true
        /// Whether those of TLS 1.3 have to bring a key.
        var needsKeyShare = false
    }

    func adopt(_ manners: Manners) { self.manners = manners }

    /// An offer as this server wants it.
    func offer(_ versions: [TLSProtocolVersion], _ suites: [CipherSuite]) -> ProbeOffer {
        var offer = ProbeOffer(versions, suites)
        offer.serverName = self.serverName
        offer.hasExtensions = self.manners.hasExtensions
        let isNew = versions.contains(.tls13)
        offer.groups = isNew ? self.everything.groups : self.everything.groupsBeforeTLS13
        offer.signatureSchemes = self.everything.signatureSchemes
        if isNew, self.manners.needsKeyShare { offer.offerKeys() }
        return offer
    }
}
