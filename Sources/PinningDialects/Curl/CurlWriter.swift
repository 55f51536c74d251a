//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// Writes a line for each host, with the argument of `--pinnedpubkey` behind it.
enum CurlWriter {
    static func write(_ configuration: PinningConfiguration) -> PinningText {
        let lines = configuration.domains.flatMap { domain in
            ((try? domain.patterns()) ?? []).map { pattern in
                let pins = (domain.pins?.pins ?? []).map { "\(CurlOption.pinPrefix)\($0.base64)" }
                return "\(pattern) \(pins.joined(separator: String(CurlOption.separator)))\n"
            }
        }
        return PinningText(lines.joined())
    }
}
