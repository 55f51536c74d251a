//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

extension TLSAlertDescription {
    /// Returns the advice for an alert that ended a handshake.
    ///
    /// - Parameter afterServerHello: `true` if version and cipher suite had been negotiated.
    /// - Returns: A clause.
    func advice(afterServerHello: Bool) -> String {
        switch self {
        case .protocolVersion: "the server wants another version of TLS than the ones offered"
        case .handshakeFailure where afterServerHello: "the server wants a client certificate"
        case .handshakeFailure, .insufficientSecurity: "the server accepts none of the offered cipher suites"
        case .unrecognizedName: "the server has no site of that name. Check the name and the address"
        case .certificateRequired, .badCertificate, .unknownCA, .certificateUnknown, .accessDenied:
            "the server wants a client certificate it knows"
        case .noApplicationProtocol: "the server speaks none of the offered application protocols"
        case .internalError: "the server failed on its side. Look into its log"
        default: "look into the server's log for this connection"
        }
    }
}
