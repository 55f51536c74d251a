//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// Writes a line for each pattern, with its pins behind it.
enum OkHttpWriter {
    static func write(_ configuration: PinningConfiguration) -> PinningText {
        let lines = configuration.domains.flatMap { domain in
            ((try? domain.patterns()) ?? []).map { pattern in
                "\(pattern)" + (domain.pins?.pins ?? []).map { " \($0)" }.joined() + "\n"
            }
        }
        return PinningText(lines.joined())
    }
}
