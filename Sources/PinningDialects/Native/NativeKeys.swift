//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The format's name with its version; another version would be another name.
enum NativeFormat: String, CaseIterable {
    case version1 = "servertrust.pins/1"
}

/// Keys of this package's own format, which no other program reads in another way.
protocol NativeDialectKey: DialectKey {}

extension NativeDialectKey {
    static var otherKey: PinningDiagnostic.Code { .undefinedKey }
}

/// The keys of the file. All keys are explained in docs/pins.md.
enum NativeKey: String, NativeDialectKey {
    case format, combination, domains
}

/// The keys of a domain.
enum NativeDomainKey: String, NativeDialectKey {
    case host, subdomains, pinned, pins, scope, requirements, expires, afterExpiry, reportOnly, exemptAnchors, backup
    case exclude, reportURIs, trustAnchors

    /// Those that say something about pins, and nothing where there are none.
    static let ofPins: [NativeDomainKey] = [
        .pins, .scope, .requirements, .expires, .afterExpiry, .reportOnly, .exemptAnchors, .backup,
    ]
}

/// The keys of a requirement.
enum NativeRequirementKey: String, NativeDialectKey {
    case scope, pins
}

/// The keys of what is trusted.
enum NativeAnchorsKey: String, NativeDialectKey {
    case classes, certificates
}
