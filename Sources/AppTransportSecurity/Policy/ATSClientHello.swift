//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// The offer of Apple's systems in a ClientHello: cipher suites, groups and signature schemes.
///
/// It is the only table of these parameters. The prober's hello, the enforced offer and the verdict on a certificate's signature
/// all derive from it, so that they cannot differ.
///
/// The suites are those of ``ATSCipherSuiteGroup``. Groups and signature schemes are those in a hello of Safari 26.3. They depend
/// on the system and not on the program that loads.
public struct ATSClientHello: Sendable, Hashable {
    /// The cipher suites in the order of the offer, including those of TLS 1.3.
    public let cipherSuites: [CipherSuite]
    /// The groups in the order of the offer.
    public let groups: [NamedGroup]
    /// The signature schemes in the order of the offer, for handshakes and for certificates.
    public let signatureSchemes: [SignatureScheme]

    /// Creates the offer of a system.
    ///
    /// - Parameters:
    ///   - suites: The suites that the loading program may use. FCP_v2.1 also leaves out signatures over SHA-1
    ///     (NSRequiresNIAPTLSPackageVersion).
    ///   - system: The release.
    ///   - strictness: The reading of the rules, which determines the list of suites.
    public init(
        _ suites: ATSCipherSuiteGroup, system: ATSSystem = .newest, strictness: ATSStrictness = .engine
    ) {
        self.cipherSuites = suites.suites(strictness)
        self.groups = Self.groups.filter { system.offersHybridGroup || $0.isUsableBeforeTLS13 }
        self.signatureSchemes = Self.signatureSchemes.filter { suites != .fcp21 || !$0.usesSHA1 }
    }

    private init(cipherSuites: [CipherSuite]) {
        self.cipherSuites = cipherSuites
        self.groups = Self.groups
        self.signatureSchemes = Self.signatureSchemes
    }

    /// The whole offer of the captured hello, of which an app's load offers a part.
    public static let captured = ATSClientHello(
        cipherSuites: [
            0x1302, 0x1303, 0x1301, 0xC02C, 0xC02B, 0xCCA9, 0xC030, 0xC02F, 0xCCA8, 0xC00A, 0xC009, 0xC014, 0xC013,
            0x009D, 0x009C, 0x0035, 0x002F, 0xC008, 0xC012, 0x000A,
        ].map(CipherSuite.init))

    /// The arrangement of the captured hello.
    public var form: ClientHelloForm {
        let schemes = Self.signatureSchemesOnWire.filter(self.signatureSchemes.contains)
        return ClientHelloForm(
            extensions: Self.extensionsOnWire,
            keyShares: self.groups.filter { [.x25519MLKEM768, .x25519].contains($0) }, signatureSchemes: schemes)
    }

    private static let extensionsOnWire: [HelloExtension.ExtensionType?] = [
        nil, .serverName, .extendedMasterSecret, .renegotiationInfo, .supportedGroups, .pointFormats,
        .applicationProtocols, .statusRequest, .signatureAlgorithms, .certificateTimestamps, .keyShare,
        .pskExchangeModes, .supportedVersions, .compressCertificate, nil,
    ]

    private static let groups: [NamedGroup] = [.x25519MLKEM768, .x25519, .secp256r1, .secp384r1, .secp521r1]

    /// The schemes on the wire, without ECDSA over SHA-512 and without Ed25519. The hello has 0x0805 twice, which changes nothing.
    private static let signatureSchemesOnWire: [SignatureScheme] = [
        0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0805, 0x0501, 0x0806, 0x0601, 0x0201,
    ].map(SignatureScheme.init)

    private static let signatureSchemes = Self.signatureSchemesOnWire.reduce(into: [SignatureScheme]()) {
        list, scheme in
        if !list.contains(scheme) { list.append(scheme) }
    }
}

extension ATSRequirements {
    /// The offer to a server under these requirements.
    public var clientHello: ATSClientHello {
        let suites = self.niapPackage == .fcp21 ? .fcp21 : self.cipherSuiteGroup ?? .unrestricted
        return ATSClientHello(suites, system: self.system, strictness: self.strictness)
    }
}
