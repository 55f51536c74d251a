//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSParameters

/// The conversation with one server: asks, takes care of what counts as an answer, and keeps what is learned on the way.
///
/// Silence is the hard part. A server that closes or resets a connection may mean "no", may be overloaded, or may have had
/// enough of being asked. It counts as "no" only when another offer is answered right before or after it; and no timeout
/// ever does.
actor Interview {
    let exchange: any ProbeExchange
    let serverName: String?
    /// The protocols that ALPN offers; none where something else than HTTP is spoken.
    let applicationProtocols: [String]
    private(set) var notes = Observations()
    private(set) var effort = ProbeEffort()
    /// Why nothing is asked any more.
    private(set) var ending: ProbeFailure?
    /// How hellos have to be for this server to answer.
    var manners = Manners()

    private let limits: ProbeLimits
    /// The last offer that was agreed on: what the server is asked to see whether it still answers.
    private var control: ProbeOffer?
    private var succeededLast = false
    private var timeouts = 0
    private var chance = SystemRandomNumberGenerator()

    init(_ exchange: any ProbeExchange, _ settings: ProbeSettings) {
        self.exchange = exchange
        self.serverName = settings.serverName
        self.applicationProtocols = settings.applicationProtocols
        self.limits = settings.limits
    }

    /// How hellos have to be.
    struct Manners: Sendable {
        /// The most suites in one of them; `nil` for any number.
        var maximumSuites: Int?
        /// Whether they may have extensions.
        var hasExtensions = true
        /// Whether those of TLS 1.3 have to bring a key.
        var needsKeyShare = false
    }

    /// Asks what the server makes of an offer.
    func ask(_ offer: ProbeOffer) async -> ProbeAnswer {
        let succeededBefore = self.succeededLast
        var outcome = await self.attempt(offer)
        for number in 0..<self.limits.retries {
            guard case .unclear(let failure) = outcome, failure.mayPass, self.ending == nil else { break }
            // A server that has just answered and is silent in a way it was before means it.
            if failure.isSilence, succeededBefore, self.notes.refusesSilently { return .refused(.silence) }
            self.effort.retries += 1
            await self.exchange.pause(for: failure.backOff(number))
            outcome = await self.attempt(offer)
        }
        switch outcome {
        case .agreed(let agreement): return .agreed(agreement)
        case .refused(let refusal): return .refused(refusal)
        case .unoffered: return .unknown(.malformed(.unexpected("a choice that was not offered")))
        case .unclear(let failure): return await self.settle(failure)
        }
    }

    /// Decides what silence means, by asking something that was agreed on before.
    private func settle(_ failure: ProbeFailure) async -> ProbeAnswer {
        guard failure.isSilence, self.ending == nil, let control else { return .unknown(failure) }
        guard case .agreed = await self.attempt(control) else {
            self.notes.add(.limitsConnections)
            self.effort.isDegraded = true
            return .unknown(failure)
        }
        if case .alert(let alert) = failure { return .refused(.alert(alert)) }
        self.notes.refusesSilently = true
        return .refused(.silence)
    }

    /// Sends the hello of an offer once.
    func attempt(_ offer: ProbeOffer) async -> ProbeReply.Outcome {
        if let ending { return .unclear(ending) }
        guard self.effort.connections < self.limits.connections else { return .unclear(self.end(.exhausted)) }
        self.effort.connections += 1
        let reply = await self.exchange.reply(to: offer.clientHello(using: &self.chance))
        let outcome = reply.outcome(of: offer)
        self.note(outcome, reply)
        return outcome
    }

    private func note(_ outcome: ProbeReply.Outcome, _ reply: ProbeReply) {
        self.notes.add(reply)
        self.succeededLast = false
        switch outcome {
        case .agreed(let agreement):
            self.notes.add(agreement)
            self.control = agreement.offer
            self.timeouts = 0
            self.succeededLast = true
        case .refused: self.timeouts = 0
        case .unoffered(let choice): self.notes.add(.choseUnoffered(choice))
        case .unclear(.timedOut):
            self.timeouts += 1
            // A server that answers to nothing any more costs the whole time of every connection.
            if self.timeouts >= self.limits.timeouts { self.effort.isDegraded = self.control != nil }
            if self.timeouts >= self.limits.timeouts { _ = self.end(.exhausted) }
        case .unclear(let failure): if failure.isFinal { _ = self.end(failure) }
        }
    }

    private func end(_ failure: ProbeFailure) -> ProbeFailure {
        self.ending = self.ending ?? failure
        return failure
    }
}

// MARK: - What is asked besides

extension Interview {
    /// Shakes hands in earnest.
    func handshake(_ offer: HandshakeOffer) async -> HandshakeResult {
        var offer = offer
        offer.serverName = self.serverName
        offer.applicationProtocols = self.applicationProtocols
        self.effort.connections += 1
        let result = await self.exchange.handshake(offering: offer)
        self.notes.add(result, offering: offer.applicationProtocols)
        return result
    }

    /// Sends what is no hello of TLS.
    func answer(to bytes: [UInt8]) async -> Result<[UInt8], ProbeFailure> {
        if let ending { return .failure(ending) }
        self.effort.connections += 1
        return await self.exchange.answer(to: bytes)
    }

    func remember(_ anomaly: ProbeAnomaly) { self.notes.add(anomaly) }
    func learn(_ change: (inout FeatureFacts) -> Void) { self.notes.set(change) }
    func adopt(_ manners: Manners) { self.manners = manners }

    /// An offer as this server wants it.
    func offer(_ versions: [TLSProtocolVersion], _ suites: [CipherSuite]) -> ProbeOffer {
        var offer = ProbeOffer(versions, suites)
        offer.serverName = self.serverName
        offer.hasExtensions = self.manners.hasExtensions
        offer.groups = versions.contains(.tls13) ? NamedGroup.offered : NamedGroup.offeredBeforeTLS13
        return offer
    }
}

/// How much one server may cost.
public struct ProbeLimits: Sendable, Hashable {
    /// The connections to it.
    public var connections = 512
    /// How often an unclear answer is asked for again.
    public var retries = 1
    /// After how many timeouts one after the other it is asked no more.
    public var timeouts = 4

    /// The defaults.
    public init() {}
}

extension ProbeFailure {
    /// Whether asking again may help.
    fileprivate var mayPass: Bool {
        switch self {
        case .timedOut, .closed, .reset, .alert, .connectionRefused: true
        default: false
        }
    }

    /// Whether it may be a way of saying no.
    fileprivate var isSilence: Bool {
        switch self {
        case .closed, .reset, .alert: true
        default: false
        }
    }

    /// Whether every other question would end the same way.
    fileprivate var isFinal: Bool {
        switch self {
        case .hostNotFound, .unreachable, .preamble, .exhausted, .cancelled, .notTLS: true
        default: false
        }
    }

    /// How long to wait before asking again: longer for what looks like a limit.
    fileprivate func backOff(_ number: Int) -> Duration {
        guard self.isSilence || self == .connectionRefused else { return .zero }
        return .milliseconds(250 << min(number, 4))
    }
}
