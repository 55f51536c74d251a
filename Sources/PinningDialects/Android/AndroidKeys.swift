//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The elements of a network security configuration with their permitted children and attributes.
///
/// See <https://developer.android.com/privacy-and-security/security-config> and AOSP's XmlConfigSource.
enum AndroidElement: String, CaseIterable {
    case root = "network-security-config"
    case baseConfig = "base-config"
    case domainConfig = "domain-config"
    case debugOverrides = "debug-overrides"
    case domain
    case pinSet = "pin-set"
    case pin
    case trustAnchors = "trust-anchors"
    case certificates
    case certificateTransparency
    case domainEncryption

    var children: [AndroidElement] {
        switch self {
        case .root: [.baseConfig, .domainConfig, .debugOverrides]
        case .baseConfig: [.trustAnchors, .certificateTransparency, .domainEncryption]
        case .domainConfig:
            [.domain, .pinSet, .trustAnchors, .domainConfig, .certificateTransparency, .domainEncryption]
        case .debugOverrides: [.trustAnchors]
        case .pinSet: [.pin]
        case .trustAnchors: [.certificates]
        case .domain, .pin, .certificates, .certificateTransparency, .domainEncryption: []
        }
    }

    var attributes: [AndroidAttribute] {
        switch self {
        case .baseConfig, .domainConfig: [.cleartextTrafficPermitted, .hstsEnforced]
        case .domain: [.includeSubdomains]
        case .pinSet: [.expiration]
        case .pin: [.digest]
        case .certificates: [.source, .overridePins]
        case .certificateTransparency: [.enabled]
        case .domainEncryption: [.mode]
        case .root, .debugOverrides, .trustAnchors: []
        }
    }
}

/// The attributes of a network security configuration.
enum AndroidAttribute: String, DialectKey {
    case cleartextTrafficPermitted
    case hstsEnforced
    case includeSubdomains
    case expiration
    case digest
    case source = "src"
    case overridePins
    case enabled
    case mode
}

/// The values of `src` other than resource names.
enum AndroidSourceName: String, CaseIterable {
    case system
    case user
    /// The certificates for Wi-Fi networks, which apps do not use.
    case wifi = "wfa"
}

/// The only permitted value of `digest`.
enum AndroidDigest: String, CaseIterable {
    case sha256 = "SHA-256"
}
