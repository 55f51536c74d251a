//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSParameters

/// What a server makes of an offer, after all care was taken.
enum ProbeAnswer: Sendable {
    /// It agreed.
    case agreed(Agreement)
    /// It refused.
    case refused(ProbeRefusal)
    /// It gave no clear answer.
    case unknown(ProbeFailure)

    var agreement: Agreement? {
        if case .agreed(let agreement) = self { agreement } else { nil }
    }
}

/// An offer, and what a server chose of it.
struct Agreement: Sendable {
    let offer: ProbeOffer
    let hello: ServerHello
    let flight: ServerFlight

    var version: TLSProtocolVersion { self.hello.version }
    var cipherSuite: CipherSuite { self.hello.cipherSuite }

    /// The group for ephemeral keys, whichever message names it.
    var group: NamedGroup? {
        if let group = self.hello.selectedGroup { return group }
        return switch self.flight.keyExchange?.group {
        case .named(let group), .prime(_, let group?): group
        default: nil
        }
    }
}

extension ProbeReply {
    /// What the reply means for the offer it answers, taken by itself.
    func outcome(of offer: ProbeOffer) -> Outcome {
        guard let hello = self.flight.hello else {
            if let alert = self.flight.alert {
                return alert.isRefusal ? .refused(.alert(alert)) : .unclear(.alert(alert))
            }
            return .unclear(self.failure ?? .closed)
        }
        guard offer.versions.contains(hello.version) else {
            guard hello.version < offer.newestVersion else { return .unoffered("\(hello.version)") }
            return .refused(.otherVersion(hello.version))
        }
        // The suites of TLS 1.3 are of no use to others, nor others to it (RFC 8446 §4.1.3).
        let fits = hello.cipherSuite.isTLS13 == (hello.version >= .tls13)
        guard offer.cipherSuites.contains(hello.cipherSuite), fits else { return .unoffered("\(hello.cipherSuite)") }
        guard hello.compressionMethod == 0 || offer.offersCompression else { return .unoffered("compression") }
        if let group = hello.selectedGroup, !offer.groups.contains(group) { return .unoffered("\(group)") }
        return .agreed(Agreement(offer: offer, hello: hello, flight: self.flight))
    }

    /// What a reply means.
    enum Outcome {
        case agreed(Agreement)
        case refused(ProbeRefusal)
        /// It may mean anything.
        case unclear(ProbeFailure)
        /// Something was chosen that was not offered.
        case unoffered(String)
    }
}

extension TLSAlertDescription {
    /// Whether the alert is about what was offered. Others may come from whatever else goes wrong in a server.
    fileprivate var isRefusal: Bool {
        switch self.rawValue {
        // handshake_failure, illegal_parameter, protocol_version, insufficient_security, inappropriate_fallback,
        // missing_extension, unsupported_extension, unrecognized_name, no_application_protocol
        case 40, 47, 70, 71, 86, 109, 110, 112, 120: true
        default: false
        }
    }
}
