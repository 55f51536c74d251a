//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOSSL
import TLSWire

/// What a connection has come to so far.
///
/// Shared between the handlers of one channel and used on its event loop only.
final class ATSHandshake {
    let evaluator: ATSConnectionEvaluator
    /// What the server chose.
    var serverHello: ServerHello?
    /// The alert the server sent in plaintext.
    var alert: TLSAlertDescription?
    /// Whether the server's bytes are no TLS at all.
    var isNotTLS = false
    /// What came of the server's chain, judged once; `nil` before.
    private(set) var outcome: Result<ATSVerdict, ATSError>?

    init(_ evaluator: ATSConnectionEvaluator) {
        self.evaluator = evaluator
    }

    /// Judges what the server presented, when BoringSSL asks for it.
    ///
    /// - Returns: Whether to complete the handshake.
    func receive(_ certificates: [NIOSSLCertificate]) -> Bool {
        // BoringSSL asks once. Should it ever ask again, then for nothing that was judged.
        guard self.outcome == nil else {
            self.outcome = .failure(self.evaluator.error(.protocolError))
            return false
        }
        let outcome = self.evaluator.evaluate(certificates, chosen: self.serverHello)
        self.outcome = outcome
        guard case .success = outcome else { return false }
        return true
    }

    /// What the program is to hear in place of an error of the pipeline's.
    func error(for error: any Error) -> ATSError {
        if case .failure(let refusal)? = self.outcome { return refusal }
        return self.evaluator.error(self.failure(behind: error), chosen: self.serverHello, cause: error)
    }

    /// What became of a handshake that is complete: what was judged, if TLS agrees on what was agreed on.
    func outcome(of version: TLSVersion?) -> Result<ATSVerdict, ATSError> {
        guard let outcome, let version, self.serverHello?.version == TLSProtocolVersion(version) else {
            return .failure(self.evaluator.error(.protocolError))
        }
        return outcome
    }

    private func failure(behind error: any Error) -> ATSConnectionFailure {
        if error is HandshakeTimeout { return .timedOut }
        if let alert { return .alert(alert) }
        if self.isNotTLS { return .protocolError }
        guard let stack = error.boringSSLErrors else { return .closed }
        if stack.isEmpty || stack.contains(.eofDuringHandshake) { return .closed }
        if let alert = stack.lazy.compactMap(\.alert).first { return .alert(alert) }
        return stack.map(\.reason).contains(where: Self.mismatches.contains) ? .nothingInCommon : .protocolError
    }

    /// What BoringSSL says of a server that chooses what was not offered.
    private static let mismatches: Set<String> = [
        "UNSUPPORTED_PROTOCOL", "WRONG_CIPHER_RETURNED", "UNKNOWN_CIPHER_RETURNED", "WRONG_SIGNATURE_TYPE",
        "WRONG_CURVE",
        "WRONG_CERTIFICATE_TYPE", "NO_COMMON_SIGNATURE_ALGORITHMS",
    ]
}

/// No handshake in the time there is for one.
struct HandshakeTimeout: Error, CustomStringConvertible {
    let description = "The handshake was not finished in time."
}

/// The server's first bytes are no TLS.
struct NotTLSError: Error, CustomStringConvertible {
    let description = "The server did not answer with TLS."
}
