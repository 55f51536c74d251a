//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOSSL
package import TLSWire

extension TLSAlertDescription {
    /// Creates the alert that a server sent, from the error that it caused. Returns `nil` if the server sent none.
    ///
    /// - Parameter error: The error of a handshake, of a connection after it, or of the gate.
    package init?(receivedIn error: any Error) {
        let cause = (error as? ServerTrustGateError)?.cause ?? error
        var stack = cause.boringSSLErrors ?? []
        if case .sslError(let errors)? = cause as? BoringSSLError { stack = errors }
        guard let alert = stack.lazy.compactMap(\.alert).first else { return nil }
        self = alert
    }
}
