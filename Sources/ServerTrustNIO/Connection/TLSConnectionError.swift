//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
public import TLSWire

/// The error for a connection that obtained no certificates.
///
/// Check ``code`` in programs, and show the description to people. It contains the event and a remedy.
public struct TLSConnectionError: Error, Hashable {
    /// The kinds of failure.
    public struct Code: Hashable, Sendable {
        fileprivate enum Kind: String, CaseIterable {
            case resolutionFailed
            case connectionRefused
            case unreachable
            case timedOut
            case notTLS
            case handshakeFailed
            case closedDuringHandshake
            case noCertificate
            case limitExceeded
        }

        fileprivate let kind: Kind

        /// All codes, for lists of them.
        package static let all = Kind.allCases.map { Self(kind: $0) }

        /// The name of the server could not be resolved.
        public static let resolutionFailed = Self(kind: .resolutionFailed)
        /// Nothing listens on the port.
        public static let connectionRefused = Self(kind: .connectionRefused)
        /// There is no route to the server's address.
        public static let unreachable = Self(kind: .unreachable)
        /// Resolving, connecting and the handshake together took too long.
        public static let timedOut = Self(kind: .timedOut)
        /// The server's answer is not TLS.
        public static let notTLS = Self(kind: .notTLS)
        /// The handshake failed before certificates arrived.
        public static let handshakeFailed = Self(kind: .handshakeFailed)
        /// The server closed or reset the connection before certificates arrived.
        public static let closedDuringHandshake = Self(kind: .closedDuringHandshake)
        /// The handshake completed without certificates.
        public static let noCertificate = Self(kind: .noCertificate)
        /// The server sent more certificates or bytes than the limits allow.
        public static let limitExceeded = Self(kind: .limitExceeded)
    }

    /// The kind of failure.
    public let code: Code

    /// The server.
    public let endpoint: TLSEndpoint

    /// The event, as a clause without the server's name.
    public let reason: String

    /// The remedy, as a clause.
    public let advice: String

    /// The TLS alert that the server sent, or `nil` if it sent none.
    public let alert: TLSAlertDescription?

    /// The first bytes of the server's answer for ``Code/notTLS``, at most 60. Empty for the other codes.
    public let firstBytes: [UInt8]

    init(
        _ code: Code, endpoint: TLSEndpoint, reason: String, advice: String, alert: TLSAlertDescription? = nil,
        firstBytes: [UInt8] = []
    ) {
        self.code = code
        self.endpoint = endpoint
        self.reason = reason
        self.advice = advice
        self.alert = alert
        self.firstBytes = firstBytes
    }
}

extension TLSConnectionError: CustomStringConvertible {
    /// The server, the event and the remedy, in one line.
    public var description: String {
        "\(self.endpoint): \(self.reason). \(self.advice.withCapital)"
    }
}

extension TLSConnectionError.Code: CustomStringConvertible {
    /// The name of the code, such as `connectionRefused`.
    public var description: String {
        self.kind.rawValue
    }
}
