//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// Writes a curl configuration file.
enum CurlWriter {
    /// Returns a configuration for `curl --config`: a URL with its pins for each host, separated by `next`.
    static func write(_ configuration: PinningConfiguration) -> PinningText {
        let blocks = configuration.domains.flatMap { domain in
            ((try? domain.patterns()) ?? []).map { pattern in
                let pins = (domain.pins?.pins ?? []).map { "\(CurlOption.pinPrefix)\($0.base64)" }
                return """
                    \(CurlOption.url.rawValue) = "https://\(pattern)/"
                    \(CurlOption.pinnedPublicKey.rawValue) = "\(pins.joined(separator: String(CurlOption.separator)))"

                    """
            }
        }
        return PinningText(blocks.joined(separator: "\(CurlOption.next.rawValue)\n"))
    }
}
