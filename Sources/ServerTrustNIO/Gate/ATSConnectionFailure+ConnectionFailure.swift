//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import CertificatePath
import TLSWire

extension ATSConnectionFailure {
    /// A failure as App Transport Security tells failures apart.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - suite: The suite of the handshake, which says what the key of the server does in it; `nil` before it is chosen.
    init(_ failure: ConnectionFailure, in suite: CipherSuite? = nil) {
        switch failure.cause {
        case .noAddress: self = .hostNotFound
        case .timedOut: self = .timedOut
        case .closed, .reset, .other: self = .closed
        case .alert(let alert): self = .alert(alert)
        case .nothingInCommon: self = .nothingInCommon
        case .tooMuch: self = .tooMuch
        case .keyUsage:
            // RFC 5246 §7.4.2: without an ephemeral key, the key of the server enciphers.
            self = .keyUsage(missing: suite?.keyExchange == .rsa ? .keyEncipherment : .digitalSignature)
        case .violation: self = .protocolError
        case .forbiddenAddress, .refused, .unreachable, .starved, .proxy, .startTLS: self = .notConnected
        }
    }
}
