//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import CertificatePath
import NIOCore
import NIOSSL
import NIOTLS
package import ServerTrust
package import ServerTrustNIO
import TLSProbe
package import TLSWire

extension Prober {
    /// Presents the client's identity to a trusted server that requests one, and returns the result.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - request: The server's request, or `nil` if it made none.
    ///   - leaves: The trusted leaves of the server, in DER. Only a server that holds the key of one of them sees the identity.
    /// - Returns: The result, or `nil` if there is no identity.
    package func identityUse(
        at endpoint: TLSEndpoint, request: ClientCertificateRequest?, trusting leaves: Set<[UInt8]>
    ) async -> ClientIdentityUse? {
        let identities = self.configuration.identities
        guard !identities.isEmpty else { return nil }
        guard let request else { return .notNeeded }
        guard !leaves.isEmpty else { return .notSent(.notTrusted) }
        guard let identity = TLSIdentity.choice(among: identities, for: request) else { return .notSent(.noneFits) }
        let subject = identity.certificates.first?.subjectSummary ?? ""
        switch await self.outcome(of: identity, at: endpoint, trusting: leaves) {
        case .completed: return .accepted(subject: subject)
        case .ended(let reason): return .refused(subject: subject, reason)
        case .notConnected(let reason): return .notSent(.notConnected(reason))
        }
    }

    /// Returns notes on kinds of client keys that the server accepted here and that Apple's systems do not use.
    ///
    /// The source is reports (P-521 fails from iOS 26.5 on), not Apple's code, so it is a note and no refusal.
    package func notesOnKeys(usedAs use: ClientIdentityUse?) -> [TrustNote] {
        self.notesOnUsages(usedAs: use) + self.notesOnKinds(usedAs: use)
    }

    /// That the certificate which the server saw is none of a client. A server that does not look at it accepts it.
    private func notesOnUsages(usedAs use: ClientIdentityUse?) -> [TrustNote] {
        switch use {
        case .accepted?, .refused?: break
        default: return []
        }
        guard let certificate = self.configuration.identities.first?.certificates.first else { return [] }
        let usages = certificate.view.extendedKeyUsages.map(OIDNames.name(of:))
        let isForClients = usages.contains { $0.hasPrefix("clientAuth") || $0.hasPrefix("anyExtendedKeyUsage") }
        guard !usages.isEmpty, !isForClients else { return [] }
        return [TrustNote(.clientAuthenticationMissing(usages.joined(separator: ", ")), about: certificate)]
    }

    private func notesOnKinds(usedAs use: ClientIdentityUse?) -> [TrustNote] {
        guard case .accepted? = use else { return [] }
        return Array(self.configuration.identities.compactMap(\.noteOnKey).prefix(1))
    }

    private func outcome(
        of identity: TLSIdentity, at endpoint: TLSEndpoint, trusting leaves: Set<[UInt8]>
    ) async -> IdentityOutcome {
        var settings = ServerTrustSettings(trust: .only([]), transportSecurity: .withoutAppTransportSecurity)
        settings.evaluator = JudgedLeaves(leaves: leaves)
        settings.identity = identity
        settings.tls.applicationProtocols = self.applicationProtocols
        settings.handshakeTimeout = self.configuration.bounded.timeout
        return await self.exchange(with: endpoint) { await $0.outcome(of: ServerTrustGate(settings)) }
    }
}

/// An evaluator that trusts only servers with leaves that were judged before.
private struct JudgedLeaves: ServerTrustEvaluating, Hashable {
    let leaves: Set<[UInt8]>

    func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        let leaf = trust.certificates.first?.derRepresentation
        guard let leaf, self.leaves.contains(leaf) else {
            return .refused(ServerTrustFailure(OtherServer(), forHost: host))
        }
        return .trusted(nil)
    }
}

private struct OtherServer: Error, CustomStringConvertible {
    let description = "Another server answered than the one that was judged."
}

/// The end of a handshake with a client identity.
enum IdentityOutcome: Sendable {
    case completed
    /// The server refused. The value is the reason in words.
    case ended(String)
    /// The handshake ended before the server saw the identity. The value is the reason in words.
    case notConnected(String)
}

extension HostExchange {
    /// Completes a handshake and waits for the server's reaction.
    func outcome(of gate: ServerTrustGate) async -> IdentityOutcome {
        let destination = ATSDestination(self.endpoint)
        do {
            try await self.withConnection { channel, deadline in
                let ending = channel.eventLoop.makePromise(of: Void.self)
                let gated = channel.eventLoop.makePromise(of: GatedConnection.self)
                do {
                    try channel.pipeline.syncOperations.addServerTrustHandlers(gate, for: destination, outcome: gated)
                    try channel.pipeline.syncOperations.addHandler(AfterHandshake(ending, until: deadline))
                } catch {
                    ending.fail(error)
                }
                return gated.futureResult.flatMap { _ in ending.futureResult }
            }
            return .completed
        } catch let error as ConnectionFailure {
            return .notConnected(error.message)
        } catch {
            return self.outcome(of: error)
        }
    }

    private func outcome(of error: any Error) -> IdentityOutcome {
        if let alert = TLSAlertDescription(receivedIn: error) {
            return .ended("it ended the handshake with the alert \(alert)")
        }
        guard let failure = error as? ServerTrustGateError else { return .ended("it closed the connection") }
        guard case .connectionFailed(let reason)? = failure.verdict.primary?.reason else {
            return .notConnected("\(OtherServer())")
        }
        return reason.isWithoutServer ? .notConnected("\(failure)") : .ended("the handshake did not come to its end")
    }
}

/// The handler that sends close_notify after a handshake and waits for the server's. In TLS 1.3 a server judges the client's
/// certificate only after the client has finished its handshake (RFC 8446 §2).
private final class AfterHandshake: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let promise: EventLoopPromise<Void>
    private let deadline: NIODeadline

    init(_ promise: EventLoopPromise<Void>, until deadline: NIODeadline) {
        self.promise = promise
        self.deadline = deadline
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // A server that stays silent counts as continuing.
        let promise = self.promise
        context.eventLoop.scheduleTask(deadline: self.deadline) { promise.succeed() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted: context.close(mode: .output, promise: nil)
        case ChannelEvent.inputClosed, TLSUserEvent.shutdownCompleted: self.promise.succeed()
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { self.promise.succeed() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A server that closes without close_notify has not thereby refused the certificate.
        if case .uncleanShutdown? = error as? NIOSSLError { return self.promise.succeed() }
        self.promise.fail(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.promise.succeed()
        context.fireChannelInactive()
    }
}

extension TLSIdentity {
    /// The note on a key of a kind with which Apple's systems are reported to sign no handshake, or `nil` for other keys.
    package var noteOnKey: TrustNote? {
        let kinds: [PublicKeyKind: String] = [
            .p521: "on P-521", .ed25519: "of the kind Ed25519", .ed448: "of the kind Ed448",
        ]
        return kinds[self.certificates.first?.publicKey.kind ?? .unknown].map { TrustNote(.clientKeyNotUsed($0)) }
    }
}
