//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// What a server makes of an offer, after all care was taken.
enum ProbeAnswer: Sendable {
    /// It agreed.
    case agreed(Agreement)
    /// It refused.
    case refused(ProbeRefusal)
    /// It gave no clear answer.
    case unknown(ConnectionFailure)

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

    /// The group and the signature scheme of the ephemeral key, where they were not on offer.
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
    /// What is never allowed together, whatever was offered.
    fileprivate var neverAllowed: String? {
        // RFC 8446 §4.2.1: TLS 1.3 and later are chosen by the extension, and older versions never.
        guard self.has(.supportedVersions) == (self.version >= .tls13) else {
            return "\(self.version) \(self.version >= .tls13 ? "without" : "with") the extension for versions"
        }
        // RFC 8446 §4.1.4: before TLS 1.3 no server asks for another hello.
        if self.isRetryRequest, self.version < .tls13 { return "another hello in \(self.version)" }
        // RFC 8446 §4.1.3: the suites of TLS 1.3 are of no use to others, nor others to it.
        guard self.cipherSuite.isTLS13 == (self.version >= .tls13) else { return "\(self.cipherSuite)" }
        // RFC 5246 §A.5, RFC 5288 §4: nor are those of TLS 1.2 to older versions.
        if let earliest = self.cipherSuite.earliestVersion, earliest > self.version {
            return "\(self.cipherSuite) in \(self.version)"
        }
        return nil
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
        guard hello.version <= offer.newestVersion else { return .unoffered("\(hello.version)") }
        if let choice = hello.neverAllowed { return .unoffered(choice) }
        guard offer.versions.contains(hello.version) else { return .refused(.otherVersion(hello.version)) }
        guard offer.cipherSuites.contains(hello.cipherSuite) else { return .unoffered("\(hello.cipherSuite)") }
        guard hello.compressionMethod == 0 || offer.offersCompression else { return .unoffered("compression") }
        if let group = hello.selectedGroup, !offer.groups.contains(group) { return .unoffered("\(group)") }
        // Who chooses, and then ends it, has agreed on nothing.
        guard self.flight.isComplete else { return .unclear(self.failureUnderWay) }
        let agreement = Agreement(offer: offer, hello: hello, flight: self.flight)
        if offer.isExact, let choice = agreement.unofferedParameters.first { return .unoffered(choice) }
        return .agreed(agreement)
    }

    /// Why a flight is not complete.
    private var failureUnderWay: ConnectionFailure {
        if let alert = self.flight.alert { return .alert(alert) }
        if case .notTLS = self.failure { return .malformed(.unexpected("bytes that are no record")) }
        return self.failure ?? .closed
    }

    /// What a reply means.
    enum Outcome {
        case agreed(Agreement)
        case refused(ProbeRefusal)
        /// It may mean anything.
        case unclear(ConnectionFailure)
        /// Something was chosen that was not offered.
        case unoffered(String)

        /// Whether it is an answer, whatever it says.
        var isClear: Bool { if case .unclear = self { false } else { true } }
    }
}
