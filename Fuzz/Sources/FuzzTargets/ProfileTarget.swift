//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleFiles

/// Configuration profiles: what is read is the same each time, and bounded.
enum ProfileTarget {
    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        guard let summary = AppleFilesSummary.profile(bytes) else { return }
        findings.expect(AppleFilesSummary.profile(bytes) == summary, "another profile at the second reading")
        findings.expect(summary.count <= 2_004, "more servers than the most")
    }

    static func seeds() -> [[UInt8]] {
        let payloads = [
            ("com.apple.mdm", "<key>ServerURL</key><string>https://a.test/m</string>"),
            ("com.apple.mail.managed", "<key>IncomingMailServerHostName</key><string>in.test</string>"),
            ("com.apple.security.root", "<key>PayloadContent</key><data>MAA=</data>"),
            (
                "com.apple.dnsSettings.managed",
                "<key>DNSSettings</key><dict><key>ServerURL</key><string>https://d.test/q{?dns}</string></dict>"
            ),
            ("com.apple.relay.managed", "<key>Relays</key><array><dict/></array>"),
            ("com.apple.security.certificatetransparency", "<key>DisabledForDomains</key><array/>"),
        ]
        let each = payloads.map { type, keys in
            "<dict><key>PayloadType</key><string>\(type)</string><key>PayloadUUID</key><string>u</string>\(keys)</dict>"
        }
        return (each + [each.joined()]).map { payload in
            Array(
                "<plist version=\"1.0\"><dict><key>PayloadContent</key><array>\(payload)</array></dict></plist>".utf8)
        } + SignedMessageTarget.seeds()
    }
}
