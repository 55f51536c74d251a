//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension ClientHelloForm {
    /// Returns the hello of an offer in this form.
    ///
    /// - Parameters:
    ///   - offer: The offer.
    ///   - keys: The keys of the key shares.
    ///   - random: The generator of the random value, the session identifier and the reserved values of RFC 8701.
    package func hello(
        offering offer: ProbeOffer, keys: [HandshakeKey], using random: inout some RandomNumberGenerator
    ) -> ClientHello {
        let chance = random.octets(64)
        let grease = GREASEValues(using: &random)
        let contents = self.contents(offer, keys, grease)
        // RFC 8701 §3.1: two reserved extensions with different numbers.
        var fakes = [
            HelloExtension(.init(rawValue: grease.lastExtension), [0]),
            HelloExtension(.init(rawValue: grease.extension)),
        ]
        return ClientHello(
            recordVersion: .tls10, legacyVersion: .tls12, random: Array(chance.prefix(32)),
            sessionID: Array(chance.suffix(32)),
            cipherSuites: [CipherSuite(rawValue: grease.suite)] + offer.cipherSuites, compressionMethods: [0],
            extensions: self.extensions.compactMap { type in
                guard let type else { return fakes.popLast() }
                return contents.first { $0.type == type }
            })
    }

    private func contents(
        _ offer: ProbeOffer, _ keys: [HandshakeKey], _ grease: GREASEValues
    ) -> [HelloExtension] {
        let versions = [TLSProtocolVersion(rawValue: grease.version)] + offer.versions.sorted(by: >)
        let group = NamedGroup(rawValue: grease.group)
        var list: [HelloExtension] = [
            HelloExtension(.extendedMasterSecret), HelloExtension(.renegotiationInfo, [0]),
            .supportedGroups([group] + offer.groups), .pointFormats, .statusRequest,
            .signatureAlgorithms(self.schemes(offer)), HelloExtension(.certificateTimestamps),
            .keyShare([(group, [0])] + keys.map { ($0.group, $0.share) }), HelloExtension(.pskExchangeModes, [1, 1]),
            .supportedVersions(versions), .compressCertificate([.zlib]),
        ]
        if let name = offer.serverName { list.append(.serverName(name)) }
        if !offer.applicationProtocols.isEmpty { list.append(.applicationProtocols(offer.applicationProtocols)) }
        return list
    }

    /// Orders the signature schemes of the offer like the form's list.
    private func schemes(_ offer: ProbeOffer) -> [SignatureScheme] {
        guard let schemes = self.signatureSchemes else { return offer.signatureSchemes }
        return schemes.filter(offer.signatureSchemes.contains) + offer.signatureSchemes.filter { !schemes.contains($0) }
    }
}

/// The reserved values of RFC 8701 §2 in a hello, each drawn independently.
private struct GREASEValues {
    package let suite: UInt16
    package let group: UInt16
    package let version: UInt16
    package let `extension`: UInt16
    package let lastExtension: UInt16

    package init(using random: inout some RandomNumberGenerator) {
        self.suite = Self.value(&random)
        self.group = Self.value(&random)
        self.version = Self.value(&random)
        self.extension = Self.value(&random)
        let last = Self.value(&random)
        self.lastExtension = last == self.extension ? last ^ 0x1010 : last
    }

    private static func value(_ random: inout some RandomNumberGenerator) -> UInt16 {
        UInt16.random(in: 0...15, using: &random) * 0x1010 + 0x0A0A
    }
}
