//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore

/// The error of a stream, or of the program's use of it.
///
/// The description contains a remedy if the program can apply one.
public struct SecureStreamError: Error, Sendable, CustomStringConvertible {
    /// The kinds of error.
    public enum Code: String, Sendable, Hashable {
        /// The stream ended without close_notify, so the received data may be incomplete (RFC 8446 §6.1).
        case truncated
        /// A plain stream held unread octets when TLS was to begin. An attacker may have sent them (CVE-2011-0411).
        case injectedOctets
        /// The server is not accepted yet, or was refused.
        case notAccepted
        /// The plain stream was upgraded and can no longer be used.
        case upgraded
        /// Another task is reading.
        case alreadyReading
        /// The program closed the stream, or its own direction of it.
        case closed
        /// A line is longer than the caller's limit.
        case lineTooLong
        /// The settings have a handler, which would decide instead of the caller.
        case handler
        /// The connection broke, or TLS failed after the handshake. ``SecureStreamError/cause`` has the error.
        case failed
    }

    /// The kind of error.
    public let code: Code

    /// The underlying error of NIO or NIOSSL, or `nil` if there is none.
    public let cause: (any Error)?

    init(_ code: Code, cause: (any Error)? = nil) {
        self.code = code
        self.cause = cause
    }

    /// The problem and a remedy.
    public var description: String {
        switch self.code {
        case .truncated:
            "The stream ended without close_notify. Do not use what came as if it were complete."
        case .injectedOctets:
            "The server sent octets before TLS that were not read. An attacker may have sent them. Do not use the connection."
        case .notAccepted: "The server is not accepted. Evaluate peerTrust and call accept() before you read or write."
        case .upgraded: "The plain stream was upgraded to TLS. Use the stream that upgrade returned."
        case .alreadyReading: "Another task reads from the stream. Read from one task at a time."
        case .closed: "The stream is closed."
        case .lineTooLong: "The server sent a line that is longer than allowed."
        case .handler:
            "The settings have a handler, which would decide in place of the caller. Use settings without one, or validate "
                + "automatically."
        case .failed: "The connection failed: \(self.reason)."
        }
    }

    private var reason: String {
        guard let cause else { return "the reason is unknown" }
        return (cause as? IOError)?.systemText ?? TransportErrorText.text(of: cause)
    }
}
