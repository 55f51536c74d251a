//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore

/// One handshake, as the handler sees it that holds all data back until the verdict.
///
/// It is used on the event loop of its channel only.
protocol GatedHandshake: AnyObject {
    /// The time for the handshake, counted from the moment the channel is connected.
    var timeout: Duration { get }

    /// The number of bytes that may wait for the verdict.
    var maximumPendingBytes: Int { get }

    /// `true` while the program's handler decides, which has a time limit of its own.
    var isPaused: Bool { get }

    /// Called when the program's handler has answered.
    var onAnswer: (() -> Void)? { get set }

    /// Judges a completed handshake.
    ///
    /// - Parameters:
    ///   - context: The context of the handler behind the TLS handler.
    ///   - negotiated: The negotiated application protocol.
    /// - Returns: The error to refuse the connection with, or `nil` if it is let through.
    func refusal(on context: ChannelHandlerContext, negotiated: String?) -> (any Error)?

    /// Returns the error to report to the program instead of an error of the pipeline.
    func error(for error: any Error) -> any Error

    /// Reports the accepted connection to the program, and releases the state of the handshake, since most connections live much
    /// longer.
    func open()

    /// Reports an error to the program, and cancels pending decisions.
    func fail(_ error: any Error)
}

extension GatedHandshake {
    var isPaused: Bool { false }
    var onAnswer: (() -> Void)? {
        get { nil }
        set {}
    }
}
