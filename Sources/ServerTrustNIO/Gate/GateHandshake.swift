//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOSSL
import ServerTrust
import TLSWire

/// The state of one gated handshake.
///
/// The handlers of one channel share it and use it on its event loop only.
final class GateHandshake: TappedHandshake {
    let judge: ConnectionJudge
    /// The server's choice, or `nil` before its ServerHello.
    var choice: ServerChoice?
    /// The alert that the server sent in plaintext, or `nil` if there is none.
    var alert: TLSAlertDescription?
    /// The failure of a server that began with another protocol, or `nil` if it began with TLS.
    private var notTLS: ConnectionFailure?
    private var hasReceived = false
    /// The result for the server's chain, which is judged once, or `nil` before.
    private var outcome: Result<GatedConnection, ServerTrustGateError>?
    private var isOver = false
    /// The judgment that waits for a look or a fetch.
    private var pendingJudgment: PendingAnswer<ConnectionJudgment>?
    private var pendingCall: PendingAnswer<ServerTrustDisposition>?
    /// The connection to deliver to the program once the gate opens.
    private var connection: GatedConnection?
    private var promise: EventLoopPromise<GatedConnection>?
    var onPause: ((_ isPaused: Bool) -> Void)?
    var onAnswer: (() -> Void)?
    var tls: NIOSSLHandler?
    var onEnd: (() -> Void)?
    var channel: (any Channel)? {
        didSet { if self.channel?.isActive == true { self.joinedConnection = true } }
    }
    /// `true` if the channel was connected before TLS was added to it.
    private var joinedConnection = false

    var timeout: Duration { self.judge.settings.handshakeTimeout }
    var maximumPendingBytes: Int { self.judge.settings.maximumPendingBytes }
    var isPaused: Bool { self.pendingCall != nil }

    /// The program's handler, or `nil` if the rules alone decide.
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
        self.hasReceived = true
        switch finding {
        case .serverHello(let hello): self.choice = ServerChoice(hello)
        case .alert(let alert): self.alert = alert
        case .nothing, nil: break
        case .notTLS:
            // BoringSSL would wait for the rest of a record.
            self.notTLS = ConnectionFailure(notTLS: octets)
            return NotTLSError()
        }
        return nil
    }

    /// Judges the server's certificates when BoringSSL asks for a verdict.
    ///
    /// - Parameters:
    ///   - certificates: The certificates that the server presented.
    ///   - result: The promise for the verdict.
    func receive(_ certificates: [NIOSSLCertificate], _ result: EventLoopPromise<NIOSSLVerificationResult>) {
        // BoringSSL asks once. A second question would be about certificates that were not judged.
        guard self.outcome == nil, self.pendingJudgment == nil, self.pendingCall == nil, !self.isOver else {
            return self.finish(.failure(self.judge.error(.violation(.illegalValue("Certificate")))), result)
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

    /// Returns the way to look at the server during the handshake, or `nil` if there is none.
    private func wayToLook(on eventLoop: any EventLoop) -> (dialer: Dialer, endpoint: TLSEndpoint)? {
        if case .addressOfNewConnection = self.way, self.joinedConnection { return nil }
        return self.way.dialer(
            to: self.judge.destination, at: self.channel?.remoteAddress, on: eventLoop, timeout: self.judge.lookTimeout)
    }

    func lookFirst(at address: SocketAddress, on eventLoop: any EventLoop) -> EventLoopFuture<Void>? {
        // The dialer has already looked at the server.
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

    /// Two seconds, because a bootstrap by default allows its channel ten seconds to connect.
    private static let lookTimeWithinConnecting = TimeAmount.seconds(2)

    /// Judges again with the results of looking and fetching, within the time of the handshake.
    private func complete(
        _ judgment: ConnectionJudgment, by looker: ServerLooker?,
        answering result: EventLoopPromise<NIOSSLVerificationResult>
    ) {
        let eventLoop = result.futureResult.eventLoop
        let judge = self.judge
        let pending = PendingAnswer(on: eventLoop, timeout: self.timeout, error: FetchTimeout()) {
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
            case .failure(let error):
                handshake.value.finish(.failure(judge.error(.timedOut(.underWay), cause: error)), result)
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
        let call = PendingAnswer(on: eventLoop, timeout: self.judge.settings.handlerTimeout, error: HandlerTimeout()) {
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

    /// Returns the verdict if TLS negotiated the version that was read from the ServerHello, and a protocol error otherwise.
    func refusal(on context: ChannelHandlerContext, negotiated: String?) -> (any Error)? {
        self.isOver = true
        guard let version = self.tls?.tlsVersion, self.choice?.version == TLSProtocolVersion(version),
            let outcome = self.outcome.take()
        else { return self.judge.error(.violation(.illegalValue("version"))) }
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

    private func failure(behind error: any Error) -> ConnectionFailure {
        if error is HandshakeTimeout { return .timedOut(self.hasReceived ? .underWay : .silent) }
        if self.alert == nil, let notTLS { return notTLS }
        let failure = ConnectionFailure(shakingHands: error, alert: self.alert, in: self.choice?.cipherSuite)
        if case .success? = self.outcome { return failure.afterAcceptance }
        return failure
    }
}

/// The error for a handshake that took too long.
struct HandshakeTimeout: Error, CustomStringConvertible {
    let description = "The handshake was not finished in time."
}

/// The error for a server that does not begin with TLS.
struct NotTLSError: Error, CustomStringConvertible {
    let description = "The server did not answer with TLS."
}
