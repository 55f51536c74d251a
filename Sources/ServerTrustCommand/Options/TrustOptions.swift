//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import CertificatePath
import ServerDiagnosis
import ServerReports
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The options for anchors, the date and the rules of evaluations.
struct TrustOptions: ParsableArguments {
    @Option(
        name: .customLong("roots"),
        help: ArgumentHelp(
            "Trust the certificates of a file or folder, besides Apple's program. May be repeated.",
            discussion: """
                PEM or DER. The word system stands for this machine's store, which then takes the place of Apple's program; \
                ./system is a file of that name.
                """,
            valueName: "file|dir|system"
        ), completion: .file(),
        transform: RootSource.init
    )
    var roots: [RootSource] = []

    @Option(
        name: .customLong("installed-roots"),
        help: ArgumentHelp(
            "Trust the certificates of a file or folder as an Apple device does that has them installed. May be repeated.",
            discussion: """
                For roots that a user or administrator trusts on the device, in its settings or by a profile. Roots named by \
                --roots are judged as those that an app brings along, whose server certificates must name the purpose \
                serverAuth.
                """,
            valueName: "file|dir"
        ), completion: .file(),
        transform: RootSource.file
    )
    var installedRoots: [RootSource] = []

    @Flag(
        name: .customLong("anchors-only"),
        help: "Trust only what --roots and --installed-roots name, and not Apple's program.")
    var anchorsOnly = false

    @Option(
        name: .customLong("at"),
        help: ArgumentHelp("Judge as of a moment, such as 2026-01-31T12:00:00Z. (default: now)", valueName: "moment"),
        transform: EvaluationMoment.parse
    )
    var moment: Date?

    @Option(name: .customLong("profile"), help: "The rules to judge by. (default: apple)")
    var givenProfile: ProfileName?

    @Flag(
        name: .customLong("dangerously-accept-version-1-issuers"),
        help: ArgumentHelp(
            "Let version 1 certificates issue others below a version 1 root, as Apple's systems do.",
            discussion: "Each holder of a version 1 server certificate of that root can then be any host."))
    var acceptsVersion1Issuers = false

    @Option(
        name: .customLong("crl"), parsing: .upToNextOption,
        help: ArgumentHelp(
            "Files with revocation lists in PEM or DER, delta lists included. What follows is a file up to the next option.",
            valueName: "file"),
        completion: .file()
    )
    var lists: [String] = []

    @Option(
        name: .customLong("ocsp"), parsing: .upToNextOption,
        help: ArgumentHelp(
            "Files with OCSP responses in DER. What follows is a file up to the next option.", valueName: "file"),
        completion: .file()
    )
    var responses: [String] = []

    @Flag(
        name: .customLong("must-staple"),
        help: ArgumentHelp(
            "Refuse a certificate that promises stapled OCSP responses (RFC 7633) without one that is good.",
            discussion: "Where no server is asked, --ocsp names its stapled responses."
        )
    )
    var mustStaple = false

    @OptionGroup(title: "Apple's public trust")
    var publicTrust: PublicTrustArguments

    func validate() throws {
        if self.anchorsOnly, !self.namesRoots {
            throw ValidationError("--anchors-only without --roots would trust nothing. Add --roots FILE")
        }
    }

    var namesRoots: Bool { !self.roots.isEmpty || !self.installedRoots.isEmpty }

    var namesRevocation: Bool { !self.lists.isEmpty || !self.responses.isEmpty }

    /// Refuses files about revocation in a mode that ignores them.
    func checkRevocation(_ mode: RevocationMode?) throws {
        guard mode == .off, self.namesRevocation else { return }
        throw ValidationError(
            "--revocation off would not look at --crl and --ocsp. Leave them out, or say soft or hard")
    }

    var given: [String] {
        [
            ("--roots", !self.roots.isEmpty), ("--installed-roots", !self.installedRoots.isEmpty),
            ("--anchors-only", self.anchorsOnly), ("--at", self.moment != nil),
            ("--profile", self.givenProfile != nil),
            ("--dangerously-accept-version-1-issuers", self.acceptsVersion1Issuers), ("--crl", !self.lists.isEmpty),
            ("--ocsp", !self.responses.isEmpty),
        ].filter(\.1).map(\.0) + self.publicTrust.given
    }

    /// Reads the stores and all other inputs of an evaluation.
    ///
    /// - Parameter areStapled: `true` to treat the OCSP responses as stapled ones.
    /// - Throws: `TrustStoreError` or `AppleTrustDataError` with descriptions that state the remedy.
    func settings(areStapled: Bool = false) throws -> CommandTrust {
        let data = try self.publicTrust.data()
        var profile = (self.givenProfile ?? .apple).profile
        profile.dangerouslyAcceptsOldIntermediatesBelowOldAnchors = self.acceptsVersion1Issuers
        var settings = CommandTrust(try self.stores(data), date: self.moment, profile: profile)
        let now = Date()
        try self.publicTrust.apply(to: &settings.trust, data: data, now: now, roots: self.publicRoots)
        if let basis = settings.trust.publicTrust, basis.roots != .given, let warning = basis.warning {
            Console.complain(warning)
        }
        settings.trust.extendedValidation = data.extendedValidation
        settings.files = self.rootFiles
        settings.trust.storeUse = TrustStoreUsage(ofFirst: settings.files.count)
        let revocation = try GivenRevocation(lists: self.lists, responses: self.responses, areStapled: areStapled)
        settings.trust.revocation = revocation.policy
        if self.mustStaple { settings.trust.revocation.enforcesTLSFeature = true }
        settings.files += revocation.files
        return settings
    }

    /// The files and folders with roots in the order of their stores, those of an app first. Apple's rules for these are
    /// stricter, and apply to a root that is in several stores.
    private var rootSources: [(option: String, source: RootSource, anchorClass: AnchorClass)] {
        self.roots.filter { $0 != .system }.map { ("--roots", $0, .application) }
            + self.installedRoots.map { ("--installed-roots", $0, .user) }
    }

    /// The file or folder of each store.
    private var rootFiles: [InputFile] {
        self.rootSources.enumerated().compactMap { position, root in
            root.source.path.map {
                InputFile(
                    root.option, $0, kind: .store, positions: position..<position + 1, besides: root.source.besides)
            }
        }
    }

    private var publicRoots: PublicTrustBasis.Roots {
        if self.roots.contains(.system) { return .machine }
        return self.anchorsOnly ? .given : .apple
    }

    private func stores(_ data: AppleTrustData) throws -> [TrustStore] {
        let given = try self.rootSources.map { try $0.source.store(as: $0.anchorClass) }
        return switch self.publicRoots {
        case .apple: given + [try .apple(data)]
        case .machine: given + [try .system()]
        case .given: given
        }
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
