//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import NIOSSL
import TLSWire

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ConnectionFailure {
    /// The failure behind an error of looking a name up and connecting.
    init(connecting error: any Error) {
        switch error {
        case let error as ConnectionFailure: self = error
        case let error as NIOConnectionError: self.init(attempts: error)
        case ChannelError.connectTimeout: self.init(.address, .timedOut)
        case is SocketAddressError, is SocketAddressError.UnknownHost: self.init(.name, .noAddress)
        case is ForbiddenAddressError: self.init(.address, .forbiddenAddress)
        case let error as IOError: self.init(.address, Self.cause(error))
        default: self.init(.address, .unreachable("connecting failed (\(error))"))
        }
    }

    /// The failure of attempts at several addresses: a refusal says more than a missing way, and that more than silence. Where
    /// this machine has no descriptor left, nothing is said about the server.
    private init(attempts: NIOConnectionError) {
        let failures = attempts.connectionErrors.map { Self(connecting: $0.error) }
        let isForbidden = [attempts.dnsAError, attempts.dnsAAAAError].contains { $0 is ForbiddenAddressError }
        let best =
            failures.first { $0.cause == .starved } ?? failures.first { $0.cause == .refused }
            ?? failures.first { if case .unreachable = $0.cause { true } else { false } } ?? failures.first
        self = best ?? (isForbidden ? Self(.address, .forbiddenAddress) : Self(.name, .noAddress))
    }

    private static func cause(_ error: IOError) -> Cause {
        switch error.errnoCode {
        case ECONNREFUSED: .refused
        case ETIMEDOUT: .unreachable("the server's machine did not answer")
        case ECONNRESET: .reset
        case ECONNABORTED, EPIPE: .closed
        case EMFILE, ENFILE: .starved
        default: .unreachable("there is no way to the server (\(error.systemText))")
        }
    }

    /// The failure behind an error that ended a handshake.
    ///
    /// - Parameters:
    ///   - error: The error of the pipeline.
    ///   - alert: The alert that the server sent in plaintext; `nil` for none.
    init(shakingHands error: any Error, alert: TLSAlertDescription?) {
        self.init(.handshake, alert.map { .alert($0) } ?? Self.cause(shakingHands: error))
    }

    private static func cause(shakingHands error: any Error) -> Cause {
        guard let stack = error.boringSSLErrors else {
            return error is IOError || error is ChannelError ? .closed : .other("\(error)")
        }
        if stack.isEmpty || stack.contains(.eofDuringHandshake) { return .closed }
        if let alert = stack.lazy.compactMap(\.alert).first { return .alert(alert) }
        let reasons = stack.map(\.reason)
        if reasons.contains("EXCESSIVE_MESSAGE_SIZE") { return .tooMuch }
        if reasons.contains("KEY_USAGE_BIT_INCORRECT") { return .keyUsage }
        let text = reasons.joined(separator: ", ")
        return reasons.contains(where: Self.mismatches.contains) ? .nothingInCommon(text) : .violation(text)
    }

    /// BoringSSL's reasons for a server that chooses what was not offered.
    private static let mismatches: Set<String> = [
        "UNSUPPORTED_PROTOCOL", "WRONG_CIPHER_RETURNED", "UNKNOWN_CIPHER_RETURNED", "WRONG_SIGNATURE_TYPE",
        "WRONG_CURVE", "WRONG_CERTIFICATE_TYPE", "NO_COMMON_SIGNATURE_ALGORITHMS",
    ]
}
