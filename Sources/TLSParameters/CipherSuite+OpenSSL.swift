//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension CipherSuite {
    /// The name in OpenSSL's configuration; `nil` for suites it never had.
    public var openSSLName: String? {
        let name = self.description
        guard name.hasPrefix("TLS_"), !self.isTLS13 else { return name.hasPrefix("TLS_") ? name : nil }
        let parts = name.dropFirst(4).split(separator: "_")
        guard let with = parts.firstIndex(of: "WITH") else { return nil }
        let exchange = parts[..<with].joined(separator: "-")
        let cipher = parts[(with + 1)...].joined(separator: "_").replacing("AES_", with: "AES")
            .replacing("3DES_EDE_CBC", with: "DES_CBC3").replacing("CBC_", with: "").replacing("RC4_128", with: "RC4")
            .replacing("POLY1305_SHA256", with: "POLY1305").replacing("_", with: "-")
        return exchange == "RSA" ? cipher : "\(exchange)-\(cipher)"
    }
}
