//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore

/// What becomes of one handshake, for the handler that holds everything back until then.
///
/// Used on the event loop of its channel only.
protocol GatedHandshake: AnyObject {
    /// The time for the handshake, from when there is a connection.
    var timeout: Duration { get }

    /// The bytes that may wait for the verdict.
    var maximumPendingBytes: Int { get }

    /// Whether the program is still asked, and has a time of its own.
    var isPaused: Bool { get }

    /// Hears that the program has answered.
    var onAnswer: (() -> Void)? { get set }

    /// Judges a handshake that is complete.
    ///
    /// - Parameters:
    ///   - context: The place behind the TLS handler.
    ///   - negotiated: The application protocol that was agreed on.
    /// - Returns: Why the connection is refused; `nil` when it is let through.
    func refusal(on context: ChannelHandlerContext, negotiated: String?) -> (any Error)?

    /// What the program is to hear in place of an error of the pipeline's.
    func error(for error: any Error) -> any Error

    /// Tells the program of the connection that is let through, and forgets what the handshake needed: most connections live
    /// much longer.
    func open()

    /// Tells the program why there is no connection, and ends what still decides for it.
    func fail(_ error: any Error)
}

extension GatedHandshake {
    var isPaused: Bool { false }
    var onAnswer: (() -> Void)? {
        get { nil }
        set {}
    }
}
