//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension CipherSuite {
    /// The name of the suite in OpenSSL, as the configurations of nginx and Apache use it.
    ///
    /// For instance `ECDHE-RSA-AES128-GCM-SHA256`. Suites that OpenSSL has removed keep their name. It is `nil` for suites that
    /// OpenSSL never had.
    public var openSSLName: String? {
        if let gost = Self.gostNames[self.rawValue] { return gost }
        guard self.isRegistered || self.isExport || self.rawValue == 0x0066 else { return nil }
        // Only the five suites of RFC 8446, under IANA's names.
        if self.isTLS13 { return (0x1301...0x1305).contains(self.rawValue) ? self.description : nil }
        return self.parts?.openSSLName
    }

    /// OpenSSL's ciphers(1), "GOST cipher suites".
    private static let gostNames: [UInt16: String] = [
        0x0080: "GOST94-GOST89-GOST89", 0x0081: "GOST2001-GOST89-GOST89", 0x0082: "GOST94-NULL-GOST94",
        0x0083: "GOST2001-NULL-GOST94", 0xFF85: "LEGACY-GOST2012-GOST8912-GOST8912",
        0xFF87: "GOST2012-NULL-GOST12", 0xC100: "GOST2012-KUZNYECHIK-KUZNYECHIKOMAC",
        0xC101: "GOST2012-MAGMA-MAGMAOMAC", 0xC102: "IANA-GOST2012-GOST8912-GOST8912",
    ]
}

extension CipherSuiteParts {
    fileprivate var openSSLName: String? {
        guard let exchange = self.openSSLExchange, let cipher = self.openSSLCipher else { return nil }
        let prefix = self.export.map { $0 == "EXPORT" ? "EXP" : "EXP1024" } ?? ""
        // The digest is left out if the cipher implies it.
        let isSilent = self.family == "AES_CCM" || self.family == "CHACHA20_POLY1305"
        let words = [prefix, exchange, cipher, isSilent ? "" : self.digest ?? ""]
        return words.filter { !$0.isEmpty }.joined(separator: "-")
    }

    private var openSSLExchange: String? {
        // EDH is the name from the time of these suites.
        let isOld = self.cipher.hasPrefix("DES") && self.export != "EXPORT1024"
        switch self.exchange {
        case "DHE_RSA" where isOld: return "EDH-RSA"
        case "DHE_DSS" where isOld: return "EDH-DSS"
        // The only pair whose name lacks RSA.
        case "ECDHE_RSA" where self.family == "ARIA_GCM": return "ECDHE"
        default: return self.exchange.flatMap { Self.openSSLExchanges[$0] }
        }
    }

    private var openSSLCipher: String? {
        let isShared = self.exchange?.contains("PSK") == true
        let table = self.keyExchange == .srp ? Self.ofSRP : isShared ? Self.ofPSK : Self.ofCertificates
        guard let cipher = (table[self.cipher] ?? Self.ofAll[self.cipher]), self.isInOpenSSL else { return nil }
        return cipher
    }

    /// `false` for RFC 8442's suites, and for ARIA without a certificate that signs.
    private var isInOpenSSL: Bool {
        switch self.family {
        case "AES_GCM", "AES_CCM": self.keyExchange != .ecdhePSK
        case "ARIA_GCM": ![.dh, .ecdh].contains(self.keyExchange) && self.authentication != .anonymous
        default: true
        }
    }

    private static let ofAll = [
        "AES_128_GCM": "AES128-GCM", "AES_256_GCM": "AES256-GCM", "AES_128_CCM": "AES128-CCM",
        "AES_256_CCM": "AES256-CCM", "AES_128_CCM_8": "AES128-CCM8", "AES_256_CCM_8": "AES256-CCM8",
        "CHACHA20_POLY1305": "CHACHA20-POLY1305", "ARIA_128_GCM": "ARIA128-GCM", "ARIA_256_GCM": "ARIA256-GCM",
        "CAMELLIA_128_CBC": "CAMELLIA128", "CAMELLIA_256_CBC": "CAMELLIA256", "RC4_128": "RC4", "NULL": "NULL",
    ]

    private static let ofPSK = [
        "AES_128_CBC": "AES128-CBC", "AES_256_CBC": "AES256-CBC", "3DES_EDE_CBC": "3DES-EDE-CBC",
    ]

    private static let ofSRP = [
        "AES_128_CBC": "AES-128-CBC", "AES_256_CBC": "AES-256-CBC", "3DES_EDE_CBC": "3DES-EDE-CBC",
    ]

    private static let ofCertificates = [
        "AES_128_CBC": "AES128", "AES_256_CBC": "AES256", "3DES_EDE_CBC": "DES-CBC3", "SEED_CBC": "SEED",
        "DES_CBC": "DES-CBC", "DES40_CBC": "DES-CBC", "IDEA_CBC": "IDEA-CBC", "RC2_CBC_40": "RC2-CBC",
        "RC2_CBC_56": "RC2-CBC", "RC4_40": "RC4", "RC4_56": "RC4",
    ]

    private static let openSSLExchanges: [String: String] = [
        "RSA": "", "DH_RSA": "DH-RSA", "DH_DSS": "DH-DSS", "DHE_RSA": "DHE-RSA", "DHE_DSS": "DHE-DSS",
        "DH_anon": "ADH", "ECDH_RSA": "ECDH-RSA", "ECDH_ECDSA": "ECDH-ECDSA", "ECDHE_RSA": "ECDHE-RSA",
        "ECDHE_ECDSA": "ECDHE-ECDSA", "ECDH_anon": "AECDH", "PSK": "PSK", "DHE_PSK": "DHE-PSK",
        "PSK_DHE": "DHE-PSK", "ECDHE_PSK": "ECDHE-PSK", "RSA_PSK": "RSA-PSK", "SRP_SHA": "SRP",
        "SRP_SHA_RSA": "SRP-RSA", "SRP_SHA_DSS": "SRP-DSS",
    ]
}
