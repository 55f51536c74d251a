//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerTrust

/// The option that says when the end of a certificate is warned of.
struct ExpiryOption: ParsableArguments {
    @Option(
        name: .customLong("warn"),
        help: ArgumentHelp(
            "Warn when less than this share of a certificate's life is left, such as 25%, fewer than these days, such as "
                + "30d, or both, such as 25%,30d: then both must hold. (default: \(ExpiryThreshold.default))",
            valueName: "share,days"),
        transform: Self.threshold)
    var given: ExpiryThreshold?

    /// The rule.
    var threshold: ExpiryThreshold { self.given ?? .default }

    private static func threshold(_ text: String) throws -> ExpiryThreshold {
        guard let threshold = ExpiryThreshold(text) else {
            throw CommandError("give a share from 1% to 100%, days from 0d to 36500d, or both with a comma")
        }
        return threshold
    }
}
