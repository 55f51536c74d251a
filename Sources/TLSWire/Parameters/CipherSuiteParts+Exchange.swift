//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
