//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// Writes Kotlin source code for a `CertificatePinner`.
enum OkHttpWriter {
    /// Returns a Kotlin expression that builds a `CertificatePinner`. Its method calls are also valid Java.
    static func write(_ configuration: PinningConfiguration) -> PinningText {
        let calls = configuration.domains.flatMap { domain in
            ((try? domain.patterns()) ?? []).map { pattern in
                let pins = (domain.pins?.pins ?? []).map { ", \"\($0)\"" }
                return "    .add(\"\(pattern)\"\(pins.joined()))\n"
            }
        }
        return PinningText("val certificatePinner = CertificatePinner.Builder()\n\(calls.joined())    .build()\n")
    }
}
