//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import NIOSSL
public import TLSWire

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ConnectionFailure {
    init(connecting error: any Error) {
        switch error {
        case let error as ConnectionFailure: self = error
        case let error as NIOConnectionError: self = Self.best(of: error)
        case ChannelError.connectTimeout: self = .timedOut(.connecting)
        case is SocketAddressError, is SocketAddressError.UnknownHost: self = .hostNotFound
        case is ForbiddenAddressError: self = .forbiddenAddress
        case let error as IOError: self.init(error)
        default: self = .unreachable("connecting failed (\(error))")
        }
    }

    /// Returns the most informative failure of attempts at several addresses: a refusal, then a missing route, then silence. If
    /// this machine has no file descriptor left, that comes first, because it says nothing about the server.
    private static func best(of attempts: NIOConnectionError) -> Self {
        let failures = attempts.connectionErrors.map { Self(connecting: $0.error) }
        let isForbidden = [attempts.dnsAError, attempts.dnsAAAAError].contains { $0 is ForbiddenAddressError }
        let best =
            failures.first { $0 == .starved } ?? failures.first { $0 == .connectionRefused }
            ?? failures.first { if case .unreachable = $0 { true } else { false } } ?? failures.first
        return best ?? (isForbidden ? .forbiddenAddress : .hostNotFound)
    }

    private init(_ error: IOError) {
        self =
            switch error.errnoCode {
            case ECONNREFUSED: .connectionRefused
            case ETIMEDOUT: .unreachable("the server's machine did not answer")
            case ECONNRESET: .reset
            case ECONNABORTED, EPIPE: .closed
            case EMFILE, ENFILE: .starved
            default: .unreachable("there is no way to the server (\(error.systemText))")
            }
    }

    /// Creates the failure for an error that ended a handshake.
    ///
    /// - Parameters:
    ///   - error: The error of the pipeline.
    ///   - alert: The alert that the server sent in plaintext, or `nil` if there was none.
    ///   - suite: The suite that the server chose, or `nil` before its ServerHello.
    init(shakingHands error: any Error, alert: TLSAlertDescription?, in suite: CipherSuite?) {
        self = alert.map { .alert($0) } ?? Self.failure(shakingHands: error, in: suite)
    }

    /// Creates the failure for an error of swift-nio-ssl, for clients that have its handler and the gate's callback.
    ///
    /// - Parameter error: The error of the pipeline.
    public init(handshakeError error: any Error) { self = Self.failure(shakingHands: error, in: nil) }

    /// The failure after the client has accepted the server's certificate. An alert can then only be about the client's.
    var afterAcceptance: Self {
        if case .alert(let alert) = self, alert.mayDemandCertificate { .clientCertificate(alert) } else { self }
    }

    /// Creates the failure for a server that begins with another protocol, from its first octets.
    init(notTLS beginning: ByteBuffer) {
        self = .notTLS(beginning: PrintableASCII.text(beginning.readableBytesView, limit: 60))
    }

    private static func failure(shakingHands error: any Error, in suite: CipherSuite?) -> Self {
        guard let stack = error.boringSSLErrors else {
            if (error as? IOError)?.errnoCode == ECONNRESET { return .reset }
            return error is IOError || error is ChannelError ? .closed : .handshake("\(error)", .otherError)
        }
        if stack.isEmpty || stack.contains(.eofDuringHandshake) { return .closed }
        if let alert = stack.lazy.compactMap(\.alert).first { return .alert(alert) }
        let reasons = stack.map(\.reason)
        if reasons.contains(where: Self.reasonsOfOtherProtocols.contains) { return .notTLS(beginning: "") }
        return .handshake(reasons.joined(separator: ", "), Self.fault(reasons, in: suite))
    }

    private static func fault(_ reasons: [String], in suite: CipherSuite?) -> Fault {
        if reasons.contains("EXCESSIVE_MESSAGE_SIZE") { return .tooMuch }
        if reasons.contains("KEY_USAGE_BIT_INCORRECT") { return .keyUsage(suite) }
        return reasons.contains(where: Self.mismatches.contains) ? .nothingInCommon : .brokenRule
    }

    /// BoringSSL's reasons for a first record that is none of TLS.
    private static let reasonsOfOtherProtocols: Set<String> = ["WRONG_VERSION_NUMBER", "HTTP_REQUEST"]

    /// BoringSSL's reasons for a server that chooses a parameter that was not offered.
    private static let mismatches: Set<String> = [
        "UNSUPPORTED_PROTOCOL", "WRONG_CIPHER_RETURNED", "UNKNOWN_CIPHER_RETURNED", "WRONG_SIGNATURE_TYPE",
        "WRONG_CURVE", "WRONG_CERTIFICATE_TYPE", "NO_COMMON_SIGNATURE_ALGORITHMS",
    ]
}
