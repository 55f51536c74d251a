//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The name of the format, which includes its version.
enum NativeFormat: String, CaseIterable {
    case version1 = "servertrust.pins/1"
}

/// The keys of this package's own format, which no other program reads differently.
protocol NativeDialectKey: DialectKey {}

extension NativeDialectKey {
    static var otherKey: PinningDiagnostic.Code { .undefinedKey }
}

/// The keys of the file. docs/pins.md explains all keys.
enum NativeKey: String, NativeDialectKey {
    case format, combination, domains
}

/// The keys of a domain.
enum NativeDomainKey: String, NativeDialectKey {
    case host, subdomains, pinned, pins, scope, requirements, expires, afterExpiry, reportOnly, exemptAnchors,
        comparison, backup
    case exclude, reportURIs, trustAnchors

    /// The keys that concern pins and have no meaning for a domain without pins.
    static let ofPins: [NativeDomainKey] = [
        .pins, .scope, .requirements, .expires, .afterExpiry, .reportOnly, .exemptAnchors, .comparison, .backup,
    ]
}

/// The keys of a requirement.
enum NativeRequirementKey: String, NativeDialectKey {
    case scope, pins
}

/// The keys of the trust anchors.
enum NativeAnchorsKey: String, NativeDialectKey {
    case classes, certificates
}
