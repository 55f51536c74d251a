//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// A session of offers to one server, which decides what counts as an answer and keeps all observations.
///
/// Silence is the difficult case. A server that closes or resets a connection may refuse the offer, may be overloaded, or may limit
/// the number of connections. ``RefusalInference`` decides what counts as a refusal. A timeout never does.
actor ProbeSession {
    let exchange: any ProbeExchange
    let serverName: String?
    /// The protocols of ALPN. They are empty if the port speaks a protocol other than HTTP.
    let applicationProtocols: [String]
    private(set) var notes = ProbeObservations()
    private(set) var effort = ProbeEffort()
    /// The reason that the session is over.
    private(set) var ending: ConnectionFailure?
    /// The limits of the hellos that this server answers.
    private(set) var tolerance = ServerTolerance()

    /// All groups and signature schemes, for offers of everything.
    let everything: OfferedParameters

    private let limits: ProbeLimits
    /// The last accepted offer. It is repeated to test that the server still answers.
    private var control: Agreement?
    private var agreements = 0
    /// The outcomes of offers made ahead, each with the number of agreements at that time.
    private var early: [ProbeOffer: (outcome: ProbeReply.Outcome, agreements: Int)] = [:]
    /// The conclusions from closed connections.
    private(set) var inference = RefusalInference()
    private var unanswered = 0
    private var chance = SystemRandomNumberGenerator()

    init(_ exchange: any ProbeExchange, _ settings: ProbeSettings) {
        self.exchange = exchange
        self.serverName = settings.serverName
        self.applicationProtocols = settings.applicationProtocols
        self.everything = OfferedParameters(first: settings.offers.ats)
        self.limits = settings.limits
    }

    var hasAnswered: Bool { self.control != nil }

    func adopt(_ tolerance: ServerTolerance) { self.tolerance = tolerance }

    func offer(_ versions: [TLSProtocolVersion], _ suites: [CipherSuite]) -> ProbeOffer {
        var offer = ProbeOffer(versions, suites)
        offer.serverName = self.serverName
        offer.hasExtensions = self.tolerance.acceptsExtensions
        offer.offersFeatures = self.tolerance.acceptsFeatures
        let isNew = versions.contains(.tls13)
        offer.groups = isNew ? self.everything.groups : self.everything.groupsBeforeTLS13
        offer.signatureSchemes = self.everything.signatureSchemes
        if isNew, self.tolerance.requiresKeyShare { offer.offerKeys() }
        return offer
    }

    /// Makes an offer, repeats it if necessary, and returns the server's final answer.
    func ask(_ offer: ProbeOffer) async -> ProbeAnswer {
        let early = self.early.removeValue(forKey: offer)
        var outcome: ProbeReply.Outcome
        if let early { outcome = early.outcome } else { outcome = await self.attempt(offer) }
        // An agreement since then shows as much as a control offer.
        let hasAnswered = early.map { $0.agreements < self.agreements } ?? false
        var (wasSilent, isRepeated) = (false, false)
        for number in 0..<max(0, self.limits.retries) {
            guard case .unclear(let failure) = outcome, failure.mayPass, self.ending == nil else { break }
            if self.inference.isRefusal(failure, again: wasSilent) { break }
            if self.isOldAlert(failure, to: offer), self.inference.isKnown(failure) {
                return .refused(self.refusal(by: failure))
            }
            isRepeated = true
            self.effort.retries += 1
            let counts = hasAnswered && number == 0 && failure.isSilence && !self.inference.isByChance(failure)
            if counts { wasSilent = true } else { wasSilent = await self.wait(after: failure, number) }
            outcome = await self.attempt(offer)
            if outcome.isClear { self.inference.note(lost: failure) }
        }
        switch outcome {
        case .agreed(let agreement): return .agreed(agreement)
        case .refused(let refusal): return .refused(refusal)
        case .unoffered: return .unknown(.malformed(.unexpected("a choice that was not offered")))
        case .unclear(let failure):
            if isRepeated, self.isOldAlert(failure, to: offer), self.inference.isRefusal(failure, again: wasSilent) {
                return .refused(self.refusal(by: failure))
            }
            return await self.settle(failure, again: wasSilent)
        }
    }

    /// Makes an offer once, for ``ask(_:)`` to continue with. The offers in between test that the server still answers after
    /// silence, which otherwise takes a connection of its own.
    func askAhead(_ offer: ProbeOffer) async {
        let outcome = await self.attempt(offer)
        self.early[offer] = (outcome, self.agreements)
    }

    /// Returns `true` for an alert to an offer of nothing newer than TLS 1.1. OpenSSL's default security level sends
    /// internal_error.
    ///
    /// Such an alert is a refusal if it occurs twice for an offer and the server accepts another offer in between. For further
    /// offers of this kind once is enough. Alerts are not lost connections, and a version wrongly taken for refused leads to no
    /// acceptance.
    private func isOldAlert(_ failure: ConnectionFailure, to offer: ProbeOffer) -> Bool {
        guard case .alert = failure else { return false }
        return offer.newestVersion < .tls12
    }

    /// Waits before an offer is repeated. Returns `true` if its silence counts.
    private func wait(after failure: ConnectionFailure, _ number: Int) async -> Bool {
        // For a server that is known to refuse in this way, a single control offer at the end suffices.
        if self.inference.isKnown(failure) { return true }
        await self.exchange.pause(for: failure.backOff(number))
        guard failure.isSilence, self.control != nil, !self.inference.isByChance(failure) else { return false }
        return await self.stillAnswers(after: failure)
    }

    /// Makes an offer once. Any result but an agreement remains open.
    func agreement(on offer: ProbeOffer) async -> Agreement? {
        if case .agreed(let agreement) = await self.attempt(offer) { agreement } else { nil }
    }

    /// Decides the meaning of a missing answer by repeating an offer that the server accepted before.
    private func settle(_ failure: ConnectionFailure, again wasSilent: Bool) async -> ProbeAnswer {
        guard self.ending == nil, failure.mayPass else { return .unknown(failure) }
        guard await self.stillAnswers(after: failure) else { return .unknown(failure) }
        if failure.isLimit { self.noteLimit(failure) }
        guard self.inference.isRefusal(failure, again: wasSilent) else { return .unknown(failure) }
        return .refused(self.refusal(by: failure))
    }

    /// Records silence as a refusal and returns it.
    func refusal(by silence: ConnectionFailure) -> ProbeRefusal {
        self.inference.learn(silence)
        if case .alert(let alert) = silence { return .alert(alert) }
        self.notes.refusesSilently = true
        return .silence
    }

    /// Returns `true` if the server again accepts the last accepted offer.
    func stillAnswers(after failure: ConnectionFailure) async -> Bool {
        guard let control else {
            if self.unanswered >= self.limits.unanswered { _ = self.end(failure) }
            return false
        }
        switch await self.attempt(control.offer) {
        case .agreed: return true
        case .refused, .unoffered:
            self.notes.add(.contradiction("\(control.cipherSuite)"))
            return false
        case .unclear(let another):
            self.noteLimit(another)
            // A server that no longer answers costs the whole timeout of every connection.
            if self.unanswered >= self.limits.unanswered { _ = self.end(failure) }
            return false
        }
    }

    private func noteLimit(_ failure: ConnectionFailure) {
        self.notes.add(.limitsConnections)
        self.effort.isDegraded = true
        self.inference.noteChance(failure)
    }

    private func attempt(_ offer: ProbeOffer) async -> ProbeReply.Outcome {
        if let ending = self.ending ?? self.reserve() { return .unclear(ending) }
        let hello = offer.clientHello(using: &self.chance)
        let reply = await self.exchange.reply(to: hello)
        let outcome = reply.outcome(of: offer)
        self.notes.add(reply, to: offer)
        self.note(outcome)
        if case .agreed(let agreement) = outcome, let verifier = self.exchange.signatureVerifier {
            self.notes.prove(agreement, by: verifier, random: hello.random)
        }
        return outcome
    }

    private func note(_ outcome: ProbeReply.Outcome) {
        switch outcome {
        case .agreed(let agreement):
            self.notes.add(agreement)
            self.control = agreement
            self.agreements += 1
            self.unanswered = 0
        case .refused: self.unanswered = 0
        case .unoffered(let choice): self.notes.add(.choseUnoffered(choice))
        case .unclear(let failure):
            self.unanswered += 1
            let isRepeated = self.unanswered > self.limits.retries
            if failure.isFinal(hasAnswered: self.control != nil, isRepeated: isRepeated) { _ = self.end(failure) }
        }
    }

    /// Reserves one of the allowed connections. Returns the failure if none is left.
    private func reserve() -> ConnectionFailure? {
        guard self.effort.connections < self.limits.connections else { return self.end(.exhausted) }
        self.effort.connections += 1
        return nil
    }

    private func end(_ failure: ConnectionFailure) -> ConnectionFailure {
        self.ending = self.ending ?? failure
        return failure
    }
}

// MARK: - What is asked besides

extension ProbeSession {
    func handshake(_ offer: HandshakeOffer) async -> HandshakeResult {
        var offer = offer
        offer.serverName = self.serverName
        offer.applicationProtocols = self.applicationProtocols
        var result = await self.attempt(offer)
        for number in 0..<max(0, self.limits.retries) {
            guard let failure = result.failure, self.ending == nil, result.version == nil,
                failure.isWorthAnotherHandshake(hasAnswered: self.control != nil)
            else { break }
            self.effort.retries += 1
            await self.exchange.pause(for: failure.backOff(number))
            result = await self.attempt(offer)
            if result.version != nil { self.inference.note(lost: failure) }
        }
        if await self.isProven(result, byCompleting: offer) { result.isKeyProven = true }
        self.notes.add(result, offering: offer.applicationProtocols)
        return result
    }

    /// Performs a handshake without repeating it.
    ///
    /// - Parameter offer: The offer with its application protocols.
    func handshakeOnce(_ offer: HandshakeOffer) async -> HandshakeResult {
        var offer = offer
        offer.serverName = self.serverName
        let result = await self.attempt(offer)
        self.notes.add(result, offering: offer.applicationProtocols)
        return result
    }

    private func attempt(_ offer: HandshakeOffer) async -> HandshakeResult {
        if let failure = self.ending ?? self.reserve() { return HandshakeResult(failure: failure) }
        return await offer.maySign
            ? self.exchange.handshake(offering: offer) : self.exchange.completedHandshake(offering: offer)
    }

    /// Returns `true` if completing a handshake proves the key that a flight did not. It repeats the version and the suite. The
    /// certificates must be the same, because another machine may answer and proves nothing about this one.
    private func isProven(_ result: HandshakeResult, byCompleting offer: HandshakeOffer) async -> Bool {
        guard result.failure == nil, !result.isKeyProven, let version = result.version, let suite = result.cipherSuite,
            self.ending == nil, self.reserve() == nil
        else { return result.isKeyProven }
        var same = offer
        (same.minimumVersion, same.maximumVersion, same.cipherSuites) = (version, version, [suite])
        let completed = await self.exchange.completedHandshake(offering: same)
        return completed.isKeyProven && completed.certificates == result.certificates
    }

    func answer(to bytes: [UInt8]) async -> Result<[UInt8], ConnectionFailure> {
        if let failure = self.ending ?? self.reserve() { return .failure(failure) }
        return await self.exchange.answer(to: bytes)
    }

    func remember(_ anomaly: ProbeAnomaly) { self.notes.add(anomaly) }
    func learn(_ change: (inout FeatureFacts) -> Void) { self.notes.set(change) }
}
