//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// An error about a server whose certificates could not be obtained.
///
/// Check ``code`` in programs; show the description to people. It says what happened and what to do next.
public struct TLSConnectionError: Error, Hashable {
    /// What went wrong.
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

        /// Every code, for lists of them.
        package static let all = Kind.allCases.map { Self(kind: $0) }

        /// The name of the server could not be resolved.
        public static let resolutionFailed = Self(kind: .resolutionFailed)
        /// Nothing listens on the port.
        public static let connectionRefused = Self(kind: .connectionRefused)
        /// There is no way to the server's address.
        public static let unreachable = Self(kind: .unreachable)
        /// Resolving, connecting and the handshake together took too long.
        public static let timedOut = Self(kind: .timedOut)
        /// The server answered with something that is not TLS.
        public static let notTLS = Self(kind: .notTLS)
        /// The handshake failed before certificates arrived.
        public static let handshakeFailed = Self(kind: .handshakeFailed)
        /// The server closed or reset the connection before certificates arrived.
        public static let closedDuringHandshake = Self(kind: .closedDuringHandshake)
        /// The handshake completed without certificates.
        public static let noCertificate = Self(kind: .noCertificate)
        /// The server sent more certificates or bytes than allowed.
        public static let limitExceeded = Self(kind: .limitExceeded)
    }

    /// What went wrong.
    public let code: Code

    /// The server.
    public let endpoint: TLSEndpoint

    /// What happened, as a clause without the server's name.
    public let reason: String

    /// What to do next, as a clause.
    public let advice: String

    /// The TLS alert the server sent; `nil` if it sent none.
    public let alert: TLSAlertDescription?

    /// How the server's answer begins, for ``Code/notTLS``, in at most 60 bytes; empty for the other codes.
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
    /// The server, what happened and what to do next, in one line.
    public var description: String {
        "\(self.endpoint): \(self.reason); \(self.advice)"
    }
}

extension TLSConnectionError.Code: CustomStringConvertible {
    /// The name of the code, such as `connectionRefused`.
    public var description: String {
        self.kind.rawValue
    }
}
