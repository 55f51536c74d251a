//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOSSL
import TLSWire

extension Error {
    /// The error stack of a failed handshake, or `nil` for any other error.
    var boringSSLErrors: [BoringSSLInternalError]? {
        guard case .handshakeFailed(let failure)? = self as? NIOSSLError else {
            return nil
        }
        switch failure {
        case .sslError(let stack), .unknownError(let stack): return stack
        case .syscallError, .zeroReturn: return []
        default: return nil
        }
    }
}

extension BoringSSLInternalError {
    /// BoringSSL's name for the reason, such as `WRONG_VERSION_NUMBER`.
    ///
    /// The description has the form `Error: 268435703 error:100000f7:SSL routines:OPENSSL_internal:REASON at file:line`.
    var reason: String {
        guard let marker = self.description.firstRange(of: "OPENSSL_internal:") else {
            return self.description
        }
        return String(self.description[marker.upperBound...].prefix { $0 != " " })
    }

    /// The received alert that the error reports, or `nil` if it reports none.
    ///
    /// The last twelve bits of the code are the reason, which is 1000 (`SSL_AD_REASON_OFFSET`) plus the alert's number. The first
    /// eight bits are the library, and TLS is number 16 (`ERR_LIB_SSL`).
    var alert: TLSAlertDescription? {
        guard let marker = self.description.firstRange(of: " error:"),
            let code = UInt32(self.description[marker.upperBound...].prefix { $0 != ":" }, radix: 16), code >> 24 == 16,
            (1000...1255).contains(code & 0xFFF)
        else { return nil }
        return TLSAlertDescription(rawValue: UInt8(truncatingIfNeeded: (code & 0xFFF) - 1000))
    }
}
