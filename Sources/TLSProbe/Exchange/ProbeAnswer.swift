//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// The final answer of a server to an offer, after all repetitions.
enum ProbeAnswer: Sendable {
    case agreed(Agreement)
    case refused(ProbeRefusal)
    case unknown(ConnectionFailure)

    var agreement: Agreement? {
        if case .agreed(let agreement) = self { agreement } else { nil }
    }
}

/// An offer and the parameters that a server chose from it.
struct Agreement: Sendable {
    let offer: ProbeOffer
    let hello: ServerHello
    let flight: ServerFlight

    var version: TLSProtocolVersion { self.hello.version }
    var cipherSuite: CipherSuite { self.hello.cipherSuite }

    var group: NamedGroup? {
        if let group = self.hello.selectedGroup { return group }
        return switch self.flight.keyExchange?.group {
        case .named(let group), .prime(_, let group?): group
        default: nil
        }
    }

    /// The group and the signature scheme of the ephemeral key, as far as they were not offered.
    var unofferedParameters: [String] {
        guard self.offer.hasExtensions, self.version > .ssl30, let key = self.flight.keyExchange else { return [] }
        var choices: [String] = []
        if case .named(let group) = key.group, !self.offer.groups.contains(group) { choices.append("\(group)") }
        if let scheme = key.signatureScheme, !self.offer.signatureSchemes.contains(scheme) {
            choices.append("\(scheme)")
        }
        return choices
    }
}

extension ServerHello {
    /// A combination of parameters that is never allowed, regardless of the offer.
    fileprivate var neverAllowed: String? {
        // RFC 8446 §4.2.1: the extension selects TLS 1.3 and later, and never an older version.
        guard self.has(.supportedVersions) == (self.version >= .tls13) else {
            return "\(self.version) \(self.version >= .tls13 ? "without" : "with") the extension for versions"
        }
        // RFC 8446 §4.1.4: before TLS 1.3 no server requests another hello.
        if self.isRetryRequest, self.version < .tls13 { return "another hello in \(self.version)" }
        // RFC 8446 §4.1.3: TLS 1.3 and older versions share no suites.
        guard self.cipherSuite.isTLS13 == (self.version >= .tls13) else { return "\(self.cipherSuite)" }
        // RFC 5246 §A.5, RFC 5288 §4: older versions cannot use the suites of TLS 1.2.
        if let earliest = self.cipherSuite.earliestVersion, earliest > self.version {
            return "\(self.cipherSuite) in \(self.version)"
        }
        return nil
    }
}

extension ProbeReply {
    func outcome(of offer: ProbeOffer) -> Outcome {
        guard let hello = self.flight.hello else {
            if let alert = self.flight.alert {
                return alert.isRefusal ? .refused(.alert(alert)) : .unclear(.alert(alert))
            }
            return .unclear(self.failure ?? .closed)
        }
        guard hello.version <= offer.newestVersion else { return .unoffered("\(hello.version)") }
        if let choice = hello.neverAllowed { return .unoffered(choice) }
        guard offer.versions.contains(hello.version) else { return .refused(.otherVersion(hello.version)) }
        guard offer.cipherSuites.contains(hello.cipherSuite) else { return .unoffered("\(hello.cipherSuite)") }
        guard hello.compressionMethod == 0 || offer.offersCompression else { return .unoffered("compression") }
        if let group = hello.selectedGroup, !offer.groups.contains(group) { return .unoffered("\(group)") }
        // A server that sends a ServerHello and then ends the handshake has not accepted the offer.
        guard self.flight.isComplete else { return .unclear(self.failureUnderWay) }
        let agreement = Agreement(offer: offer, hello: hello, flight: self.flight)
        if offer.isExact, let choice = agreement.unofferedParameters.first { return .unoffered(choice) }
        return .agreed(agreement)
    }

    private var failureUnderWay: ConnectionFailure {
        if let alert = self.flight.alert { return .alert(alert) }
        if case .notTLS = self.failure { return .malformed(.unexpected("bytes that are no record")) }
        return self.failure ?? .closed
    }

    /// The meaning of a reply.
    enum Outcome {
        case agreed(Agreement)
        case refused(ProbeRefusal)
        /// The reply has several possible causes.
        case unclear(ConnectionFailure)
        case unoffered(String)

        var isClear: Bool { if case .unclear = self { false } else { true } }
    }
}
