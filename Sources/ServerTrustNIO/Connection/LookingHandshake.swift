//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL
import ServerTrust
import TLSWire

/// A handshake that records a server's chain. Only the caller's decision completes or refuses it.
final class LookingHandshake: TappedHandshake {
    private let attempt: HandshakeAttempt
    private let deadline: NIODeadline
    private let remoteAddress: String?
    private var promise: EventLoopPromise<PresentedChain>?

    private var reception = Reception.pending
    private var applicationProtocol: String?
    /// The server's choice, or `nil` before its ServerHello.
    private(set) var serverHello: ServerHello?
    /// The alert that the server sent in plaintext, or `nil` if there is none.
    private(set) var alert: TLSAlertDescription?
    /// `true` if the client answered the server's flight with keys and not with an alert, in TLS 1.2 or older.
    private var hasAnsweredFlight = false
    /// The number of octets received so far, encrypted or not.
    private(set) var receivedBytes = 0

    var tls: NIOSSLHandler?
    var onPause: ((_ isPaused: Bool) -> Void)?
    var onEnd: (() -> Void)?

    /// The state of the certificates.
    private enum Reception {
        case pending
        case accepted([[UInt8]])
        case refused([[UInt8]])
        case beyondLimits(FlightError)
    }

    init(
        _ attempt: HandshakeAttempt, remoteAddress: SocketAddress?, until deadline: NIODeadline,
        outcome promise: EventLoopPromise<PresentedChain>
    ) {
        self.attempt = attempt
        self.deadline = deadline
        self.promise = promise
        self.remoteAddress = remoteAddress.flatMap { address in
            guard let host = address.ipAddress, let port = address.port else { return nil }
            return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }

    // MARK: The tap

    func receive(_ octets: ByteBuffer, _ finding: ServerHelloSearch.Finding?) -> (any Error)? {
        self.receivedBytes += octets.readableBytes
        // A handshake is little more than its chain. More than twice the limit is not a handshake.
        let chainSize = max(self.attempt.configuration.maximumChainSize, 1 << 16)
        let limit = chainSize > .max / 2 ? .max : 2 * chainSize
        guard self.receivedBytes <= limit else { return ConnectionFailure.malformed(.tooMuch(limit: limit)) }
        switch finding {
        case .serverHello(let hello): self.serverHello = hello
        case .alert(let alert): self.alert = alert
        case .notTLS: return ConnectionFailure(notTLS: octets)
        case .nothing, nil: break
        }
        return nil
    }

    func send(_ octets: ByteBuffer) {
        // After a ServerHello of TLS 1.3 the client sends no more plaintext handshake records.
        if self.serverHello != nil, octets.getInteger(at: octets.readerIndex, as: UInt8.self) == 22 {
            self.hasAnsweredFlight = true
        }
    }

    // MARK: The certificates

    /// Takes the certificates from BoringSSL, and asks the caller to decide.
    func receive(_ certificates: [NIOSSLCertificate], _ verdict: EventLoopPromise<NIOSSLVerificationResult>) {
        verdict.succeed(self.accepts(certificates) ? .certificateVerified : .failed)
    }

    private func accepts(_ certificates: [NIOSSLCertificate]) -> Bool {
        let limits = self.attempt.configuration
        // BoringSSL has parsed these octets. If it cannot return them there is no chain, and the handshake fails.
        guard let chain = try? certificates.prefix(limits.maximumCertificateCount).map({ try $0.toDERBytes() }) else {
            return false
        }
        let size = chain.reduce(0) { $0 + $1.count }
        guard certificates.count <= limits.maximumCertificateCount else {
            self.reception = .beyondLimits(.tooManyCertificates)
            return false
        }
        guard size <= limits.maximumChainSize else {
            self.reception = .beyondLimits(.tooMuch(limit: limits.maximumChainSize))
            return false
        }
        let isAccepted = self.attempt.deciding(chain)
        self.reception = isAccepted ? .accepted(chain) : .refused(chain)
        return isAccepted
    }

    // MARK: The end

    var timeout: Duration { Duration(self.deadline - .now()) }
    var maximumPendingBytes: Int { 0 }

    func refusal(on context: ChannelHandlerContext, negotiated: String?) -> (any Error)? {
        self.applicationProtocol = negotiated
        return self.chain(nil) == nil ? ConnectionFailure.noCertificate : nil
    }

    func error(for error: any Error) -> any Error { TLSConnectionError(self.attempt.endpoint, self.failure(of: error)) }

    private func failure(of error: any Error) -> ConnectionFailure {
        if let failure = error as? ConnectionFailure { return failure }
        if error is HandshakeTimeout { return .timedOut(self.receivedBytes == 0 ? .silent : .underWay) }
        if case .beyondLimits(let error) = self.reception { return .malformed(error) }
        let failure = ConnectionFailure(
            shakingHands: error, alert: self.alert, in: self.serverHello?.cipherSuite)
        if case .accepted = self.reception { return failure.afterAcceptance }
        return failure
    }

    func open() {
        self.onEnd?()
        guard let chain = self.chain(nil) else { return self.fail(ConnectionFailure.closed) }
        self.promise.take()?.succeed(chain)
    }

    /// Succeeds with the chain if certificates arrived before the failure. Fails otherwise.
    func fail(_ error: any Error) {
        let failure =
            error as? TLSConnectionError
            ?? TLSConnectionError(self.attempt.endpoint, error as? ConnectionFailure ?? .closed)
        self.promise.take()?.completeWith(self.chain(failure).map { .success($0) } ?? .failure(failure))
    }

    /// Returns the presented chain, or `nil` if no certificates arrived.
    private func chain(_ failure: TLSConnectionError?) -> PresentedChain? {
        switch self.reception {
        case .accepted(let certificates) where !certificates.isEmpty:
            self.chain(certificates, failure.map { .failed($0) } ?? .completed)
        case .refused(let certificates) where !certificates.isEmpty: self.chain(certificates, .refused)
        case .accepted, .refused, .pending, .beyondLimits: nil
        }
    }

    private func chain(_ certificates: [[UInt8]], _ handshake: PresentedChain.Handshake) -> PresentedChain {
        var chain = PresentedChain(
            certificates: certificates, handshake: handshake, protocolVersion: self.serverHello?.version,
            cipherSuite: self.serverHello?.cipherSuite,
            usesExtendedMasterSecret: self.serverHello?.usesExtendedMasterSecret,
            applicationProtocol: handshake == .completed ? self.applicationProtocol : nil,
            remoteAddress: self.remoteAddress)
        chain.isFlightAnswered = self.hasAnsweredFlight
        return chain
    }
}
