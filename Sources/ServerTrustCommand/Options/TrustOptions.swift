//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import CertificatePath
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The options that say what is trusted, when, and by which rules.
struct TrustOptions: ParsableArguments {
    @Option(
        name: .customLong("roots"),
        help: ArgumentHelp(
            "Trust the certificates of a file or folder, besides the system's; may be repeated.",
            discussion: "PEM or DER. The word system stands for the system's store; ./system is a file of that name.",
            valueName: "file|dir|system"
        ),
        transform: RootSource.init
    )
    var roots: [RootSource] = []

    @Flag(name: .customLong("anchors-only"), help: "Trust only what --roots names, and not the system's store.")
    var anchorsOnly = false

    @Option(
        name: .customLong("at"),
        help: ArgumentHelp("Judge as of a moment, such as 2026-01-31T12:00:00Z. (default: now)", valueName: "moment"),
        transform: EvaluationMoment.parse
    )
    var moment: Date?

    @Option(name: .customLong("profile"), help: "The rules to judge by.")
    var profile = ProfileName.apple

    @Flag(
        name: .customLong("dangerously-accept-version-1-issuers"),
        help: ArgumentHelp(
            "Let version 1 certificates issue others below a version 1 root, as Apple's systems do.",
            discussion: "Each holder of a version 1 server certificate of that root can then be any host."))
    var acceptsVersion1Issuers = false

    func validate() throws {
        if self.anchorsOnly, self.roots.isEmpty {
            throw ValidationError("--anchors-only without --roots would trust nothing; add --roots FILE")
        }
    }

    /// The options that were given, as far as that can be told.
    var given: [String] {
        [("--roots", !self.roots.isEmpty), ("--anchors-only", self.anchorsOnly), ("--at", self.moment != nil)]
            .filter(\.1).map(\.0)
    }

    /// Reads the stores and everything else an evaluation needs.
    ///
    /// - Parameter appleData: What takes the place of the system's store.
    /// - Throws: `TrustStoreError`, whose description says what to do.
    func settings(_ appleData: AppleTrustData? = nil) throws -> TrustSettings {
        // The given ones first: Apple's rules for them hold where a root is in both.
        let named = self.roots.filter { $0 != .system } + (self.roots.contains(.system) ? [.system] : [])
        let sources = self.anchorsOnly || self.roots.contains(.system) ? named : named + [.system]
        var profile = self.profile.profile
        profile.dangerouslyAcceptsOldIntermediatesBelowOldAnchors = self.acceptsVersion1Issuers
        let stores = try sources.map { source in
            if source == .system, let appleData { try TrustStore.apple(appleData) } else { try source.store() }
        }
        return TrustSettings(stores, date: self.moment, profile: profile)
    }
}

/// The names of the standard profiles, for `--profile`.
enum ProfileName: String, CaseIterable, ExpressibleByArgument {
    case apple
    case webpki
    case rfc5280
    case rfc5280Strict = "rfc5280-strict"
    case legacy

    var profile: ValidationProfile {
        switch self {
        case .apple: .apple
        case .webpki: .webPKI
        case .rfc5280: .rfc5280
        case .rfc5280Strict: .rfc5280Strict
        case .legacy: .legacy
        }
    }
}
