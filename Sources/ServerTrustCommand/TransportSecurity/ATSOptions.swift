//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import ArgumentParser

/// The options for the system and the strictness of a policy.
struct ATSOptions: ParsableArguments {
    @Option(
        name: .customLong("target-os"),
        help: ArgumentHelp(
            "The release of Apple's systems the app runs on, such as ios26, macos15.4, tvos18, watchos11 or visionos2. Without, "
                + "\(ATSSystem.newest).",
            valueName: "release"),
        completion: .list(ATSSystem.Platform.allCases.flatMap { ["\($0.rawValue)26", "\($0.rawValue)27"] }),
        transform: Self.system)
    var givenSystem: ATSSystem?

    @Option(
        name: .customLong("strict"),
        help:
            "The reading that holds where Apple's documentation and engine disagree: documentation or engine. (default: engine)"
    )
    var givenStrictness: ATSStrictness?

    var given: [String] {
        [("--target-os", self.givenSystem != nil), ("--strict", self.givenStrictness != nil)].filter(\.1).map(\.0)
    }

    var system: ATSSystem { self.givenSystem ?? .newest }
    var strictness: ATSStrictness { self.givenStrictness ?? .engine }

    var configuration: ATSPolicy.Configuration { .init(system: self.system, strictness: self.strictness) }

    private static func system(_ text: String) throws -> ATSSystem {
        guard let system = ATSSystem(text), system.isKnown else {
            throw ValidationError("give a release, such as ios26 or macos15.4, of \(ATSSystem.knownReleases)")
        }
        return system
    }
}

extension ATSStrictness: ExpressibleByArgument {}
