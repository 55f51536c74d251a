//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension TLSConnectionError {
    /// The error for a failure to resolve or to connect.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - timeout: The time that was given.
    ///   - error: What NIO reported.
    package init(connecting endpoint: TLSEndpoint, timeout: Duration, error: any Error) {
        switch error {
        case let error as NIOConnectionError:
            self.init(endpoint, timeout, attempts: error)
        case ChannelError.connectTimeout:
            self = .connectTimedOut(endpoint, timeout)
        case is SocketAddressError, is SocketAddressError.UnknownHost:
            self = .resolutionFailed(endpoint)
        case let error as IOError:
            self = .notConnected(endpoint, error)
        default:
            self = .notConnected(endpoint, reason: "connecting failed (\(error))")
        }
    }

    /// The error for attempts at several addresses: a refusal says more than a missing route, that more than silence.
    private init(_ endpoint: TLSEndpoint, _ timeout: Duration, attempts: NIOConnectionError) {
        let failures = attempts.connectionErrors.map { Self(connecting: endpoint, timeout: timeout, error: $0.error) }
        let best =
            failures.first { $0.code == .connectionRefused } ?? failures.first { $0.code == .unreachable }
            ?? failures.first
        self = best ?? .resolutionFailed(endpoint)
    }

    private static func resolutionFailed(_ endpoint: TLSEndpoint) -> Self {
        Self(
            .resolutionFailed,
            endpoint: endpoint,
            reason: "the name \(endpoint.connectAddress ?? endpoint.host) could not be resolved",
            advice: "check its spelling and this machine's DNS, or give the address to connect to"
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

    private static func notConnected(_ endpoint: TLSEndpoint, _ error: IOError) -> Self {
        switch error.errnoCode {
        case ECONNREFUSED:
            Self(
                .connectionRefused,
                endpoint: endpoint,
                reason: "the connection was refused",
                advice: "check that the server is running and listens on this port"
            )
        case ETIMEDOUT:
            self.notConnected(endpoint, reason: "the server's machine did not answer")
        case ECONNRESET, ECONNABORTED, EPIPE:
            Self.closed(endpoint)
        default:
            self.notConnected(endpoint, reason: "there is no way to the server (\(error.systemText))")
        }
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
    /// The duration as people say it, such as `10 s` or `0.5 s`.
    var shortText: String {
        let milliseconds = self.components.seconds * 1000 + self.components.attoseconds / 1_000_000_000_000_000
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(Double(milliseconds) / 1000) s"
    }
}
