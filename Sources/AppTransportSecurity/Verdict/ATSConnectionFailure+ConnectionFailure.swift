//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
public import TLSWire

extension ATSConnectionFailure {
    /// Creates App Transport Security's category of a failure.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - suite: The suite of the handshake, which determines the use of the server's key, or `nil` before it is chosen.
    public init(_ failure: ConnectionFailure, in suite: CipherSuite? = nil) {
        self =
            switch failure {
            case .hostNotFound, .lookupFailed: .hostNotFound
            case .startTLS where failure.isOfOtherProtocol: .notTLS
            case .forbiddenAddress, .connectionRefused, .unreachable, .starved, .preamble, .startTLS, .proxy:
                .notConnected
            case .timedOut, .exhausted, .cancelled: .timedOut
            case .closed, .reset: .closed
            case .alert(let alert): .alert(alert)
            case .notTLS: .notTLS
            case .malformed(.tooMuch), .malformed(.messageTooLong), .malformed(.tooManyCertificates): .tooMuch
            case .malformed, .violation: .protocolError
            case .handshake(_, let fault): Self(fault, in: suite)
            }
    }

    private init(_ fault: ConnectionFailure.Fault, in suite: CipherSuite?) {
        self =
            switch fault {
            case .unknown, .nothingInCommon: .nothingInCommon
            case .tooMuch: .tooMuch
            // RFC 5246 §7.4.2: without an ephemeral key, clients encrypt with the server's key.
            case .keyUsage: .keyUsage(missing: suite?.keyExchange == .rsa ? .keyEncipherment : .digitalSignature)
            case .brokenRule: .protocolError
            case .otherError: .closed
            }
    }
}
