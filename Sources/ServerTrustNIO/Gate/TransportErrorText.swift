//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
package import NIOCore
import NIOSSL
import ServerTrust
import TLSWire

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What ended a connection, in this package's words: the errors of the libraries below name their own files and functions.
package enum TransportErrorText {
    /// What ended a connection, as a clause or a sentence.
    ///
    /// - Parameters:
    ///   - error: An error of the gate, of fetching, or of the libraries below.
    ///   - peer: Who is at the other end.
    package static func text(of error: any Error, from peer: String = "the server") -> String {
        if let error = error as? ResourceError { return error.reason }
        if let alert = TLSAlertDescription(receivedIn: error) {
            return "\(peer) ended the connection with the alert \(alert)"
        }
        if let violation = (error as? ServerTrustGateError)?.verdict.primary { return violation.message }
        if let reasons = Self.reasons(of: error) { return "TLS failed (\(reasons))" }
        if case .uncleanShutdown? = error as? NIOSSLError {
            return "\(peer) closed the connection without a farewell"
        }
        if error is CancellationError { return "it was cancelled" }
        return Self.isOfLibrary(error) ? "the connection failed" : "\(error)"
    }

    /// Returns BoringSSL's names of what ended a handshake; `nil` for another error.
    package static func reasons(of error: any Error) -> String? {
        guard let reasons = error.boringSSLErrors?.map(\.reason), !reasons.isEmpty else { return nil }
        return reasons.joined(separator: ", ")
    }

    /// Whether the text of an error is for those who write programs: it names types, functions and lines.
    private static func isOfLibrary(_ error: any Error) -> Bool {
        String(reflecting: type(of: error)).hasPrefix("NIO")
    }
}

extension IOError {
    /// What the system says: the library's own text names its functions.
    package var systemText: String { String(cString: strerror(self.errnoCode)) }
}
