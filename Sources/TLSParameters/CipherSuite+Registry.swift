//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension CipherSuite {
    struct Row: Sendable {
        let name: String
        let keyExchange: KeyExchange
        let authentication: Authentication
        let protection: Protection
    }

    var row: Row? { Self.registry[self.rawValue] }

    /// Every suite that is known here, by number.
    public static var known: [CipherSuite] { Self.registry.keys.sorted().map(CipherSuite.init) }

    /// The suite of a name in IANA's registry, or of a number as registries write it; `nil` for other text.
    public init?(name: String) {
        if name.hasPrefix("0x") {
            guard name.utf8.count == 6, let number = UInt16(name.dropFirst(2), radix: 16) else { return nil }
            self.init(rawValue: number)
        } else {
            guard let number = Self.registry.first(where: { $0.value.name == name })?.key else { return nil }
            self.init(rawValue: number)
        }
    }

    /// The one table of cipher suites: IANA's TLS Cipher Suites, as far as servers still use them.
    private static let registry: [UInt16: Row] = [
        0x0004: Row("TLS_RSA_WITH_RC4_128_MD5", .rsa, .rsa, .broken),
        0x0005: Row("TLS_RSA_WITH_RC4_128_SHA", .rsa, .rsa, .broken),
        0x000A: Row("TLS_RSA_WITH_3DES_EDE_CBC_SHA", .rsa, .rsa, .broken),
        0x0016: Row("TLS_DHE_RSA_WITH_3DES_EDE_CBC_SHA", .dhe, .rsa, .broken),
        0x002F: Row("TLS_RSA_WITH_AES_128_CBC_SHA", .rsa, .rsa, .aesCBC),
        0x0033: Row("TLS_DHE_RSA_WITH_AES_128_CBC_SHA", .dhe, .rsa, .aesCBC),
        0x0035: Row("TLS_RSA_WITH_AES_256_CBC_SHA", .rsa, .rsa, .aesCBC),
        0x0039: Row("TLS_DHE_RSA_WITH_AES_256_CBC_SHA", .dhe, .rsa, .aesCBC),
        0x003C: Row("TLS_RSA_WITH_AES_128_CBC_SHA256", .rsa, .rsa, .aesCBC),
        0x003D: Row("TLS_RSA_WITH_AES_256_CBC_SHA256", .rsa, .rsa, .aesCBC),
        0x0067: Row("TLS_DHE_RSA_WITH_AES_128_CBC_SHA256", .dhe, .rsa, .aesCBC),
        0x006B: Row("TLS_DHE_RSA_WITH_AES_256_CBC_SHA256", .dhe, .rsa, .aesCBC),
        0x009C: Row("TLS_RSA_WITH_AES_128_GCM_SHA256", .rsa, .rsa, .aesGCM),
        0x009D: Row("TLS_RSA_WITH_AES_256_GCM_SHA384", .rsa, .rsa, .aesGCM),
        0x009E: Row("TLS_DHE_RSA_WITH_AES_128_GCM_SHA256", .dhe, .rsa, .aesGCM),
        0x009F: Row("TLS_DHE_RSA_WITH_AES_256_GCM_SHA384", .dhe, .rsa, .aesGCM),
        0x1301: Row("TLS_AES_128_GCM_SHA256", .any, .any, .aesGCM),
        0x1302: Row("TLS_AES_256_GCM_SHA384", .any, .any, .aesGCM),
        0x1303: Row("TLS_CHACHA20_POLY1305_SHA256", .any, .any, .chaCha20Poly1305),
        0xC007: Row("TLS_ECDHE_ECDSA_WITH_RC4_128_SHA", .ecdhe, .ecdsa, .broken),
        0xC008: Row("TLS_ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA", .ecdhe, .ecdsa, .broken),
        0xC009: Row("TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", .ecdhe, .ecdsa, .aesCBC),
        0xC00A: Row("TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", .ecdhe, .ecdsa, .aesCBC),
        0xC011: Row("TLS_ECDHE_RSA_WITH_RC4_128_SHA", .ecdhe, .rsa, .broken),
        0xC012: Row("TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", .ecdhe, .rsa, .broken),
        0xC013: Row("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", .ecdhe, .rsa, .aesCBC),
        0xC014: Row("TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", .ecdhe, .rsa, .aesCBC),
        0xC023: Row("TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", .ecdhe, .ecdsa, .aesCBC),
        0xC024: Row("TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384", .ecdhe, .ecdsa, .aesCBC),
        0xC027: Row("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", .ecdhe, .rsa, .aesCBC),
        0xC028: Row("TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", .ecdhe, .rsa, .aesCBC),
        0xC02B: Row("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", .ecdhe, .ecdsa, .aesGCM),
        0xC02C: Row("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", .ecdhe, .ecdsa, .aesGCM),
        0xC02F: Row("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", .ecdhe, .rsa, .aesGCM),
        0xC030: Row("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", .ecdhe, .rsa, .aesGCM),
        0xCCA8: Row("TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", .ecdhe, .rsa, .chaCha20Poly1305),
        0xCCA9: Row("TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", .ecdhe, .ecdsa, .chaCha20Poly1305),
    ]
}

extension CipherSuite.Row {
    fileprivate init(
        _ name: String, _ keyExchange: CipherSuite.KeyExchange, _ authentication: CipherSuite.Authentication,
        _ protection: CipherSuite.Protection
    ) {
        self.name = name
        self.keyExchange = keyExchange
        self.authentication = authentication
        self.protection = protection
    }
}
