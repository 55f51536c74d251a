//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL
import NIOTLS

/// Waits behind the TLS handler for the end of the handshake, or for the deadline, and reports the outcome once.
final class HandshakeObserver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let attempt: HandshakeAttempt
    private let record: HandshakeRecord
    private let deadline: NIODeadline
    private var promise: EventLoopPromise<PresentedChain>?
    private var deadlineTask: Scheduled<Void>?

    init(
        attempt: HandshakeAttempt,
        record: HandshakeRecord,
        deadline: NIODeadline,
        promise: EventLoopPromise<PresentedChain>
    ) {
        self.attempt = attempt
        self.record = record
        self.deadline = deadline
        self.promise = promise
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.deadlineTask = context.eventLoop.assumeIsolated().scheduleTask(deadline: self.deadline) {
            self.fail(.timedOut(self.attempt, phase: self.record.phase))
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.fail(.closed(self.attempt.endpoint))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
            if let chain = self.record.presentedChain(failure: nil, applicationProtocol: negotiated) {
                self.finish(.success(chain))
            } else {
                self.fail(.noCertificate(self.attempt.endpoint))
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Nothing was asked for, so whatever the server says after the handshake is of no interest.
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.fail(TLSConnectionError(shakingHands: self.attempt, record: self.record, error: error))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.fail(.closed(self.attempt.endpoint))
        context.fireChannelInactive()
    }

    /// Ends with the chain if certificates were seen before the failure, otherwise with the failure.
    private func fail(_ failure: @autoclosure () -> TLSConnectionError) {
        guard self.promise != nil else {
            return
        }
        let failure = failure()
        let chain = self.record.presentedChain(failure: failure, applicationProtocol: nil)
        self.finish(chain.map { .success($0) } ?? .failure(failure))
    }

    private func finish(_ outcome: Result<PresentedChain, any Error>) {
        self.deadlineTask?.cancel()
        self.deadlineTask = nil
        let promise = self.promise
        self.promise = nil
        // The attempt closes the channel when its outcome is there.
        promise?.completeWith(outcome)
    }
}
