//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore

/// What is wrong with a stream, or with the use that a program makes of it.
public struct SecureStreamError: Error, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable, Hashable {
        /// The stream ended without close_notify: what came may not be everything that was sent (RFC 8446 §6.1).
        case truncated
        /// A plain stream held octets when TLS was to begin, from a server that was not trusted (CVE-2011-0411).
        case injectedOctets
        /// The server is not accepted yet, or was refused.
        case notAccepted
        /// The plain stream was upgraded: what it was is over.
        case upgraded
        /// Another task reads.
        case alreadyReading
        /// The program closed the stream, or its own half of it.
        case closed
        /// A line is longer than was allowed.
        case lineTooLong
        /// The settings have a handler, which would decide in place of the caller.
        case handler
        /// The connection broke, or TLS failed after the handshake; ``SecureStreamError/cause`` says how.
        case failed
    }

    /// What is wrong.
    public let code: Code

    /// The error of NIO or NIOSSL that is behind it; `nil` without one.
    public let cause: (any Error)?

    init(_ code: Code, cause: (any Error)? = nil) {
        self.code = code
        self.cause = cause
    }

    /// What is wrong and what to do.
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
