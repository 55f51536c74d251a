//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import TLSWire

extension TLSConnectionError {
    /// Creates the error for a failure to resolve or to connect.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - timeout: The time limit.
    ///   - failure: The failure.
    package init(connecting endpoint: TLSEndpoint, timeout: Duration, _ failure: ConnectionFailure) {
        switch failure {
        case .hostNotFound: self = .resolutionFailed(endpoint)
        case .timedOut(.greeting(let spoken)):
            self = .timedOut(endpoint, "the server sent no \(spoken.title) greeting within \(timeout.shortText)")
        case .timedOut(.beforeTLS(let unanswered)):
            self = .timedOut(endpoint, "the server did not answer \(unanswered) within \(timeout.shortText)")
        case .timedOut: self = .connectTimedOut(endpoint, timeout)
        case .connectionRefused: self = .refused(endpoint)
        case .closed, .reset: self = .closed(endpoint)
        case .unreachable(let reason): self = .notConnected(endpoint, reason: reason)
        default: self = .notConnected(endpoint, reason: "\(failure)")
        }
    }

    private static func resolutionFailed(_ endpoint: TLSEndpoint) -> Self {
        Self(
            .resolutionFailed,
            endpoint: endpoint,
            reason: "the name \(endpoint.connectAddress ?? endpoint.host) could not be resolved",
            advice: "check its spelling and this machine's DNS, or give the address to connect to"
        )
    }

    private static func timedOut(_ endpoint: TLSEndpoint, _ reason: String) -> Self {
        Self(
            .timedOut,
            endpoint: endpoint,
            reason: reason,
            advice: "check the protocol and the port, look into the server's log, or allow more time"
        )
    }

    private static func connectTimedOut(_ endpoint: TLSEndpoint, _ timeout: Duration) -> Self {
        Self(
            .timedOut,
            endpoint: endpoint,
            reason: "there was no connection within \(timeout.shortText)",
            advice: "check the address and port, and whether a firewall drops the packets"
        )
    }

    private static func refused(_ endpoint: TLSEndpoint) -> Self {
        Self(
            .connectionRefused,
            endpoint: endpoint,
            reason: "the connection was refused",
            advice: "check that the server is running and listens on this port"
        )
    }

    private static func notConnected(_ endpoint: TLSEndpoint, reason: String) -> Self {
        Self(
            .unreachable,
            endpoint: endpoint,
            reason: reason,
            advice: "check the address, this machine's network and any firewall between them"
        )
    }
}

extension Duration {
    /// The duration in words, such as `10 s` or `0.5 s`.
    var shortText: String {
        let milliseconds = self.components.seconds * 1000 + self.components.attoseconds / 1_000_000_000_000_000
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(Double(milliseconds) / 1000) s"
    }
}
