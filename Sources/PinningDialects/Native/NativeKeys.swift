//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The format's name with its version; another version would be another name.
enum NativeFormat: String, CaseIterable {
    case version1 = "servertrust.pins/1"
}

/// The keys of the file. All keys are explained in docs/pins.md.
enum NativeKey: String, DialectKey {
    case format, combination, domains
}

/// The keys of a domain.
enum NativeDomainKey: String, DialectKey {
    case host, subdomains, pinned, pins, scope, requirements, expires, afterExpiry, reportOnly, exemptAnchors, backup
    case exclude, reportURIs, trustAnchors

    /// Those that say something about pins, and nothing where there are none.
    static let ofPins: [NativeDomainKey] = [
        .pins, .scope, .requirements, .expires, .afterExpiry, .reportOnly, .exemptAnchors, .backup,
    ]
}

/// The keys of a requirement.
enum NativeRequirementKey: String, DialectKey {
    case scope, pins
}

/// The keys of what is trusted.
enum NativeAnchorsKey: String, DialectKey {
    case classes, certificates
}
