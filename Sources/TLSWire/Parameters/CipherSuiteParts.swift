//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The parts of a cipher suite's name: `TLS_` exchange `_WITH_` cipher `_` digest (RFC 5246 §A.5).
///
/// The names of TLS 1.3 have no exchange and no `_WITH_` (RFC 8446 §B.4).
struct CipherSuiteParts: Hashable, Sendable {
    /// The key exchange and authentication, such as `ECDHE_RSA`, or `nil` in TLS 1.3.
    let exchange: String?
    /// `EXPORT` or `EXPORT1024`, if the keys are short enough for the export laws of the nineties.
    let export: String?
    /// The cipher, such as `AES_128_GCM`.
    let cipher: String
    /// The digest of the MAC or of the key derivation, such as `SHA256`, or `nil` if the name has none.
    let digest: String?

    /// Reads the parts of a name, or returns `nil` for a signal.
    init?(name: String) {
        var words = name.split(separator: "_")
        guard words.last != "SCSV" else { return nil }
        // OLD marks the first of two suites with the same name. The word after it is the suite's origin.
        if words.first == "OLD" { words.removeFirst() }
        if !words.isEmpty { words.removeFirst() }
        let separator = words.firstIndex(of: "WITH")
        let left = separator.map { words[..<$0] } ?? []
        var right = separator.map { words[($0 + 1)...] } ?? words[...]

        self.export = left.first { $0.hasPrefix("EXPORT") }.map { String($0) }
        let exchange = left.filter { !$0.hasPrefix("EXPORT") && $0 != "FIPS" }.joined(separator: "_")
        self.exchange = separator == nil ? nil : exchange
        // The integrity-only suites of RFC 9150 have two digests in their names and no encryption.
        self.digest = right.last.flatMap { Self.digests.contains(String($0)) ? String($0) : nil }
        if self.digest != nil { right.removeLast() }
        self.cipher = right.joined(separator: "_")
    }

    /// The cipher without the lengths of its key and tag: `AES_GCM` for `AES_128_GCM`.
    var family: String {
        self.cipher.split(separator: "_").filter { !Self.sizes.contains(String($0)) }.joined(separator: "_")
    }

    private static let sizes: Set = ["40", "56", "128", "256", "8"]

    private static let digests: Set = ["MD5", "SHA", "SHA256", "SHA384", "SHA512", "SM3", "GOSTR3411", "OMAC", "IMIT"]
}

extension CipherSuiteParts {
    /// The key exchange, or `nil` if the name has unknown parts.
    var keyExchange: CipherSuite.KeyExchange? { self.meaning?.exchange }

    /// The authentication, or `nil` if the name has unknown parts.
    var authentication: CipherSuite.Authentication? { self.meaning?.authentication }

    private var meaning: Meaning? {
        guard let exchange = self.exchange, !self.isTLS13 else { return (.any, .any) }
        return Self.meanings[exchange]
    }

    private typealias Meaning = (exchange: CipherSuite.KeyExchange, authentication: CipherSuite.Authentication)

    private static let meanings: [String: Meaning] = [
        "NULL": (.null, .anonymous),
        "RSA": (.rsa, .rsa),
        "DH_RSA": (.dh, .dh), "DH_DSS": (.dh, .dh),
        "DHE_RSA": (.dhe, .rsa), "DHE_DSS": (.dhe, .dss), "DH_anon": (.dhe, .anonymous),
        // Since TLS 1.2 the certificate may have any signature (RFC 5246 §7.4.2). Its key is on a curve.
        "ECDH_RSA": (.ecdh, .ecdsa), "ECDH_ECDSA": (.ecdh, .ecdsa),
        "ECDHE_RSA": (.ecdhe, .rsa), "ECDHE_ECDSA": (.ecdhe, .ecdsa), "ECDH_anon": (.ecdhe, .anonymous),
        "PSK": (.psk, .psk), "DHE_PSK": (.dhePSK, .psk), "PSK_DHE": (.dhePSK, .psk),
        "ECDHE_PSK": (.ecdhePSK, .psk), "RSA_PSK": (.rsaPSK, .rsa),
        "SRP_SHA": (.srp, .password), "SRP_SHA_RSA": (.srp, .rsa), "SRP_SHA_DSS": (.srp, .dss),
        "ECCPWD": (.eccpwd, .password),
        "KRB5": (.kerberos, .kerberos),
        "GOSTR341094": (.gost, .gost), "GOSTR341001": (.gost, .gost), "GOSTR341112_256": (.gost, .gost),
        "FORTEZZA_KEA": (.fortezza, .fortezza),
    ]
}
