//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore

/// What becomes of one handshake, for the handler that holds everything back until then.
///
/// Used on the event loop of its channel only.
protocol GatedHandshake<Connection>: AnyObject {
    /// What the program gets of a connection that is let through.
    associatedtype Connection: Sendable

    /// Whether the handler keeps what the program got, for those who ask it later. It takes some kilobytes.
    var keepsConnection: Bool { get }

    /// The time for the handshake, from when there is a connection.
    var timeout: Duration { get }

    /// The bytes that may wait for the verdict.
    var maximumPendingBytes: Int { get }

    /// What the program is still asked, and waits for.
    var pendingCall: HandlerCall? { get }

    /// Hears that the program has answered.
    var onAnswer: (() -> Void)? { get set }

    /// What became of a handshake that is complete.
    ///
    /// - Parameters:
    ///   - context: The place behind the TLS handler.
    ///   - negotiated: The application protocol that was agreed on.
    func outcome(on context: ChannelHandlerContext, negotiated: String?) -> Result<Connection, any Error>

    /// What the program is to hear in place of an error of the pipeline's.
    func error(for error: any Error) -> any Error

    /// Forgets what the handshake needed: most connections live much longer.
    func end()
}

extension GatedHandshake {
    var keepsConnection: Bool { false }
    var pendingCall: HandlerCall? { nil }
    var onAnswer: (() -> Void)? {
        get { nil }
        set {}
    }
    func end() {}
}
