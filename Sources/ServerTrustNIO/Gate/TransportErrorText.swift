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

/// The texts for errors that ended a connection. The errors of NIO and NIOSSL name their own files and functions, so this package
/// uses its own words.
package enum TransportErrorText {
    /// Returns the reason for the end of a connection, as a clause or a sentence.
    ///
    /// - Parameters:
    ///   - error: An error of the gate, of fetching, or of NIO or NIOSSL.
    ///   - peer: The name of the other side in the text.
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

    /// Returns BoringSSL's names for the errors that ended a handshake, or `nil` for any other error.
    package static func reasons(of error: any Error) -> String? {
        guard let reasons = error.boringSSLErrors?.map(\.reason), !reasons.isEmpty else { return nil }
        return reasons.joined(separator: ", ")
    }

    /// Returns `true` if the text of an error names types, functions and lines, and so is meant for programmers.
    private static func isOfLibrary(_ error: any Error) -> Bool {
        String(reflecting: type(of: error)).hasPrefix("NIO")
    }
}

extension IOError {
    /// The system's text for the error. NIO's own text names functions.
    package var systemText: String { String(cString: strerror(self.errnoCode)) }
}
