//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
public import TLSWire

extension ATSConnectionFailure {
    /// Creates App Transport Security's category of a failure.
    ///
    /// - Parameter failure: The failure.
    public init(_ failure: ConnectionFailure) {
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
            case .handshake(_, let fault): Self(fault)
            }
    }

    private init(_ fault: ConnectionFailure.Fault) {
        self =
            switch fault {
            case .unknown, .nothingInCommon: .nothingInCommon
            case .tooMuch: .tooMuch
            // RFC 5246 §7.4.2: without an ephemeral key, clients encrypt with the server's key.
            case .keyUsage(let suite):
                .keyUsage(missing: suite?.keyExchange == .rsa ? .keyEncipherment : .digitalSignature)
            case .brokenRule: .protocolError
            case .otherError: .closed
            }
    }
}
