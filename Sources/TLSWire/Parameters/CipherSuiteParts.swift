//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What the name of a cipher suite says, taken apart: `TLS_` exchange `_WITH_` cipher `_` digest (RFC 5246 §A.5).
///
/// Those of TLS 1.3 have no exchange and no `_WITH_` (RFC 8446 §B.4).
struct CipherSuiteParts: Hashable, Sendable {
    /// How keys come about and who proves it, such as `ECDHE_RSA`; `nil` in TLS 1.3.
    let exchange: String?
    /// `EXPORT` or `EXPORT1024`, where the keys are short enough for the export laws of the nineties.
    let export: String?
    /// What encrypts, such as `AES_128_GCM`.
    let cipher: String
    /// The digest of the MAC or of the key derivation, such as `SHA256`; `nil` where the name does not say.
    let digest: String?

    /// The parts of a name; `nil` for a signal, which is no suite.
    init?(name: String) {
        var words = name.split(separator: "_")
        guard words.last != "SCSV" else { return nil }
        // The first of two suites of the same name, and who defined it.
        if words.first == "OLD" { words.removeFirst() }
        if !words.isEmpty { words.removeFirst() }
        let separator = words.firstIndex(of: "WITH")
        let left = separator.map { words[..<$0] } ?? []
        var right = separator.map { words[($0 + 1)...] } ?? words[...]

        self.export = left.first { $0.hasPrefix("EXPORT") }.map { String($0) }
        let exchange = left.filter { !$0.hasPrefix("EXPORT") && $0 != "FIPS" }.joined(separator: "_")
        self.exchange = separator == nil ? nil : exchange
        // The integrity-only suites of RFC 9150 are named by a digest for each, and encrypt nothing.
        self.digest = right.last.flatMap { Self.digests.contains(String($0)) ? String($0) : nil }
        if self.digest != nil { right.removeLast() }
        self.cipher = right.joined(separator: "_")
    }

    /// The cipher without the length of its keys and tags: `AES_GCM` for `AES_128_GCM`.
    var family: String {
        self.cipher.split(separator: "_").filter { !Self.sizes.contains(String($0)) }.joined(separator: "_")
    }

    private static let sizes: Set = ["40", "56", "128", "256", "8"]

    private static let digests: Set = ["MD5", "SHA", "SHA256", "SHA384", "SHA512", "SM3", "GOSTR3411", "OMAC", "IMIT"]
}

extension CipherSuiteParts {
    /// How the keys come about; `nil` where the name has parts that are not known.
    var keyExchange: CipherSuite.KeyExchange? { self.meaning?.exchange }

    /// Which keys a server can have; `nil` where the name has parts that are not known.
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
        // What signed the certificate has been free since TLS 1.2 (RFC 5246 §7.4.2): its key is on a curve.
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
