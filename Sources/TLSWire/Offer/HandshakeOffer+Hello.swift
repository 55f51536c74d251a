//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension HandshakeOffer {
    /// Returns the hello of the offer and a reader of the server's answer.
    ///
    /// - Parameters:
    ///   - random: The generator of the hello's random values. The system's generator makes the keys.
    ///   - verifier: The verifier of signatures.
    /// - Returns: The hello to send and the reader of its answer.
    public func opening(
        using random: inout some RandomNumberGenerator, verifiedBy verifier: any HandshakeSignatureVerifier
    ) -> (hello: ClientHello, reader: HandshakeReader) {
        let keys = self.keys
        let hello =
            self.form?.hello(offering: self.probeOffer, keys: keys, using: &random)
            ?? self.probeOffer.clientHello(using: &random, keys: keys)
        return (hello, HandshakeReader(hello, keys: keys, verifiedBy: verifier))
    }

    private var keys: [HandshakeKey] {
        guard self.maximumVersion >= .tls13 else { return [] }
        let groups = self.offeredGroups
        let wanted = self.form?.keyShares.filter(groups.contains) ?? []
        return (wanted.isEmpty ? Array(groups.prefix(1)) : wanted).compactMap(HandshakeKey.init)
    }

    /// `true` if a server may sign its answer, so that its first flight can prove its key.
    package var maySign: Bool {
        guard !self.isCompleted else { return false }
        guard self.maximumVersion < .tls13 else { return true }
        return self.maximumVersion == .tls12 && self.cipherSuites?.contains(where: \.hasForwardSecrecy) == true
    }

    private var probeOffer: ProbeOffer {
        let versions = [TLSProtocolVersion.tls13, .tls12, .tls11, .tls10].filter {
            (self.minimumVersion...max(self.minimumVersion, self.maximumVersion)).contains($0)
        }
        let named = (self.cipherSuites ?? []).filter(CipherSuite.readable.contains)
        let new = versions.contains(.tls13) ? named + CipherSuite.readable.filter { !named.contains($0) } : []
        var offer = ProbeOffer(versions, new + (self.cipherSuites ?? []).filter { !$0.isTLS13 && $0.hasProvableKey })
        offer.groups = self.offeredGroups
        offer.signatureSchemes = self.signatureSchemes ?? SignatureScheme.verifiable
        offer.serverName = self.serverName
        offer.applicationProtocols = self.applicationProtocols
        return offer
    }

    /// A server that supports a group of TLS 1.3 may request any of those offered. Each must therefore have a key.
    private var offeredGroups: [NamedGroup] {
        let groups = self.groups ?? [.x25519, .secp256r1, .secp384r1, .secp521r1]
        return self.maximumVersion >= .tls13 ? groups.filter(HandshakeKey.isAvailable(for:)) : groups
    }
}

extension CipherSuite {
    /// The suites of TLS 1.3 with readable records, in the order of RFC 8446 §B.4.
    package static let readable = [0x1301, 0x1302, 0x1303].map(CipherSuite.init)

    /// `true` if a server presents a certificate with the suite and can prove that it holds its key.
    package var hasProvableKey: Bool {
        [.ecdhe, .dhe, .rsa].contains(self.keyExchange) && [.rsa, .ecdsa].contains(self.authentication)
            && !self.isExport
    }
}

extension SignatureScheme {
    fileprivate static let verifiable = [
        0x0403, 0x0503, 0x0603, 0x0804, 0x0805, 0x0806, 0x0807, 0x0809, 0x080A, 0x080B, 0x0401, 0x0501, 0x0601, 0x0203,
        0x0201,
    ].map(SignatureScheme.init)
}
