//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
public import TLSWire

/// The error for a connection that obtained no certificates.
///
/// Check ``failure`` or its ``code`` in programs, and show the description to people. It contains the event and a remedy.
public struct TLSConnectionError: Error, Hashable {
    /// The server.
    public let endpoint: TLSEndpoint

    /// The failure of the connection.
    public let failure: ConnectionFailure

    /// A short, stable name of the failure, such as `connection-refused`.
    public var code: String { self.failure.code }

    /// The TLS alert that the server sent, or `nil` if it sent none.
    public var alert: TLSAlertDescription? { self.failure.alert }

    package init(_ endpoint: TLSEndpoint, _ failure: ConnectionFailure) {
        self.endpoint = endpoint
        self.failure = failure
    }
}

extension TLSConnectionError: CustomStringConvertible {
    /// The server, the event and the remedy, in one line.
    public var description: String { "\(self.endpoint): \(self.failure.message) \(self.failure.remedy)" }
}
