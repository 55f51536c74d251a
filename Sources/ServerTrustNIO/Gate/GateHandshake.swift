//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOSSL
import ServerTrust
import TLSWire

/// What a connection has come to so far.
///
/// Shared between the handlers of one channel and used on its event loop only.
final class GateHandshake: TappedHandshake {
    let judge: ConnectionJudge
    /// What the server chose; `nil` before its hello.
    var choice: ServerChoice?
    /// The alert the server sent in plaintext.
    var alert: TLSAlertDescription?
    /// Whether the server's bytes are no TLS at all.
    var isNotTLS = false
    /// What came of the server's chain, judged once; `nil` before.
    private var outcome: Result<GatedConnection, ServerTrustGateError>?
    /// Whether the handshake has ended, and nothing is judged any more.
    private var isOver = false
    /// What is fetched for the judgment, until it is there.
    private var pendingJudgment: PendingAnswer<ConnectionJudgment>?
    /// The program's handler, while it decides.
    private var pendingCall: PendingAnswer<ServerTrustDisposition>?
    /// What the program gets of a connection that is let through.
    private var connection: GatedConnection?
    private var promise: EventLoopPromise<GatedConnection>?
    /// Hears when something begins to decide that takes time, and when it has.
    var onPause: ((_ isPaused: Bool) -> Void)?
    var onAnswer: (() -> Void)?
    /// The TLS handler of this gate, while it is in the pipeline; there may be another one in front, with a proxy.
    var tls: NIOSSLHandler?
    /// Hears that nothing more is needed of the handshake.
    var onEnd: (() -> Void)?
    /// The channel, while the TLS handler is in its pipeline.
    var channel: (any Channel)? {
        didSet { if self.channel?.isActive == true { self.joinedConnection = true } }
    }
    /// Whether the channel was connected before TLS was added to it.
    private var joinedConnection = false

    var timeout: Duration { self.judge.settings.handshakeTimeout }
    var maximumPendingBytes: Int { self.judge.settings.maximumPendingBytes }
    var isPaused: Bool { self.pendingCall != nil }

    /// Decides after the rules; `nil` where they alone decide.
    private let handler: (any ServerTrustHandler)?
    private let serverName: String?
    private let way: LookingWay

    init(
        _ preparation: GatePreparation, deciding handler: (any ServerTrustHandler)?, looking way: LookingWay,
        outcome promise: EventLoopPromise<GatedConnection>?
    ) {
        self.judge = preparation.judge
        self.serverName = preparation.serverName
        self.handler = handler
        self.way = way
        self.promise = promise
    }

    func receive(_ octets: ByteBuffer, _ finding: ServerHelloSearch.Finding?) -> (any Error)? {
        switch finding {
        case .serverHello(let hello): self.choice = ServerChoice(hello)
        case .alert(let alert): self.alert = alert
        case .nothing, nil: break
        case .notTLS:
            // BoringSSL would wait for the rest of a record.
            self.isNotTLS = true
            return NotTLSError()
        }
        return nil
    }

    /// Judges what the server presented, when BoringSSL asks for it.
    ///
    /// - Parameters:
    ///   - certificates: What it presented.
    ///   - result: Whether to complete the handshake.
    func receive(_ certificates: [NIOSSLCertificate], _ result: EventLoopPromise<NIOSSLVerificationResult>) {
        // BoringSSL asks once. Should it ever ask again, then for nothing that was judged.
        guard self.outcome == nil, self.pendingJudgment == nil, self.pendingCall == nil, !self.isOver else {
            return self.finish(.failure(self.judge.error(.protocolError)), result)
        }
        let judgment: ConnectionJudgment
        do throws(ServerTrustGateError) {
            judgment = try self.judge.judge(certificates, chosen: self.choice)
        } catch {
            return self.finish(.failure(error), result)
        }
        let way = self.wayToLook(on: result.futureResult.eventLoop)
        guard self.judge.isOpen(judgment, canLook: way != nil) else { return self.decide(judgment, result) }
        let looker = way.map { self.judge.looker($0.dialer, $0.endpoint, serverName: self.serverName) }
        self.complete(judgment, by: looker, answering: result)
    }

    /// Returns the way of a look during the handshake; `nil` without one.
    private func wayToLook(on eventLoop: any EventLoop) -> (dialer: Dialer, endpoint: TLSEndpoint)? {
        if case .addressOfNewConnection = self.way, self.joinedConnection { return nil }
        return self.way.dialer(
            to: self.judge.destination, at: self.channel?.remoteAddress, on: eventLoop, timeout: self.judge.lookTimeout)
    }

    func lookFirst(at address: SocketAddress, on eventLoop: any EventLoop) -> EventLoopFuture<Void>? {
        // The way that the dialer opened was looked along before.
        if case .same = self.way { return nil }
        guard self.judge.looksFirst else { return nil }
        let way = self.way.dialer(
            to: self.judge.destination, at: address, on: eventLoop, timeout: self.judge.lookTimeout)
        guard var way else { return nil }
        way.dialer.deadline = .now() + Self.lookTimeWithinConnecting
        let judge = self.judge
        let looker = judge.looker(way.dialer, way.endpoint, serverName: self.serverName)
        return eventLoop.makeFutureWithTask { await judge.lookFirst(by: looker, isOnlyWay: false) }
    }

    /// A bootstrap gives its channel ten seconds to connect, unless the program says otherwise.
    private static let lookTimeWithinConnecting = TimeAmount.seconds(2)

    /// Judges once more with what can be seen and fetched, within the time of the handshake.
    private func complete(
        _ judgment: ConnectionJudgment, by looker: ServerLooker?,
        answering result: EventLoopPromise<NIOSSLVerificationResult>
    ) {
        let eventLoop = result.futureResult.eventLoop
        let judge = self.judge
        let pending = PendingAnswer(on: eventLoop, timeout: self.timeout) {
            try await judge.completed(judgment, by: looker)
        }
        self.pendingJudgment = pending
        self.onPause?(true)
        let handshake = NIOLoopBound(self, eventLoop: eventLoop)
        pending.answer.whenComplete { answer in
            handshake.value.pendingJudgment = nil
            handshake.value.onPause?(false)
            switch answer {
            case .success(let judgment): handshake.value.decide(judgment, result)
            case .failure(let error): handshake.value.finish(.failure(judge.error(.timedOut, cause: error)), result)
            }
        }
    }

    private func decide(_ judgment: ConnectionJudgment, _ result: EventLoopPromise<NIOSSLVerificationResult>) {
        guard let handler,
            let challenge = judgment.challenge(forHost: self.judge.hostname)
        else { return self.finish(judgment.outcome, result) }
        self.ask(handler, challenge, about: judgment, answering: result)
    }

    private func ask(
        _ handler: any ServerTrustHandler, _ challenge: ServerTrustChallenge, about judgment: ConnectionJudgment,
        answering result: EventLoopPromise<NIOSSLVerificationResult>
    ) {
        let eventLoop = result.futureResult.eventLoop
        let call = PendingAnswer(on: eventLoop, timeout: self.judge.settings.handlerTimeout) {
            try await handler.respond(to: challenge)
        }
        self.pendingCall = call
        self.onPause?(true)
        let handshake = NIOLoopBound(self, eventLoop: eventLoop)
        call.answer.whenComplete { answer in
            handshake.value.pendingCall = nil
            handshake.value.onPause?(false)
            handshake.value.onAnswer?()
            handshake.value.finish(judgment.outcome(answer), result)
        }
    }

    private func finish(
        _ outcome: Result<GatedConnection, ServerTrustGateError>,
        _ result: EventLoopPromise<NIOSSLVerificationResult>
    ) {
        self.outcome = outcome
        switch outcome {
        case .success: result.succeed(.certificateVerified)
        case .failure: result.succeed(.failed)
        }
    }

    func error(for error: any Error) -> any Error {
        if case .failure(let refusal)? = self.outcome { return refusal }
        return self.judge.error(self.failure(behind: error), chosen: self.choice, cause: error)
    }

    /// What was judged counts if TLS agrees on what was agreed on.
    func refusal(on context: ChannelHandlerContext, negotiated: String?) -> (any Error)? {
        self.isOver = true
        guard let version = self.tls?.tlsVersion, self.choice?.version == TLSProtocolVersion(version),
            let outcome = self.outcome.take()
        else { return self.judge.error(.protocolError) }
        switch outcome {
        case .success(let connection):
            self.connection = connection
            self.connection?.applicationProtocol = negotiated
            return nil
        case .failure(let error): return error
        }
    }

    func open() {
        self.outcome = nil
        self.choice = nil
        self.onEnd?()
        self.onPause = nil
        self.onAnswer = nil
        self.onEnd = nil
        guard let connection = self.connection.take() else { return }
        self.promise.take()?.succeed(connection)
    }

    func fail(_ error: any Error) {
        self.promise.take()?.fail(error)
        self.pendingJudgment?.cancel()
        self.pendingCall?.cancel()
    }

    private func failure(behind error: any Error) -> ATSConnectionFailure {
        if error is HandshakeTimeout { return .timedOut }
        if self.alert == nil, self.isNotTLS { return .notTLS }
        let failure = ConnectionFailure(shakingHands: error, alert: self.alert)
        // Once its own certificate is accepted, a server has no other reason for such an alert.
        if case .success? = self.outcome, let alert = failure.alert, alert.mayDemandCertificate {
            return .clientCertificate(alert)
        }
        return ATSConnectionFailure(failure, in: self.choice?.cipherSuite)
    }
}

/// No handshake in the time there is for one.
struct HandshakeTimeout: Error, CustomStringConvertible {
    let description = "The handshake was not finished in time."
}

/// The server's first bytes are no TLS.
struct NotTLSError: Error, CustomStringConvertible {
    let description = "The server did not answer with TLS."
}
