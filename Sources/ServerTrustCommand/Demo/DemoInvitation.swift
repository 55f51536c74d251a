//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrustTesting

/// Instructions for connecting to the demo's servers with other programs.
struct DemoInvitation: Sendable {
    /// The file with the servers' root.
    let rootFile: String
    /// The addresses, and commands to copy.
    let text: String

    init(_ range: TestTLSServerRange, rootFile: String) {
        self.rootFile = rootFile
        self.text = Self.text(range, rootFile: rootFile)
    }

    private static func text(_ range: TestTLSServerRange, rootFile: String) -> String {
        let width = (range.targets.map { Self.authority($0).count }.max() ?? 0) + 2
        let lines = range.targets.map { target in
            let authority = Self.authority(target)
            return "  \(authority)\(String(repeating: " ", count: width - authority.count))\(target.fault.summary)"
        }
        let example = range[.goodECDSA].map { Self.commands($0, rootFile: rootFile) } ?? ""
        return """

            The servers listen on 127.0.0.1 at the port of each name:
            \(lines.joined(separator: "\n"))

            Their root is in \(rootFile)
            Try, with any of the names:
            \(example)
            Control-C ends the servers and removes the root's file.

            """
    }

    private static func authority(_ target: TestTLSServerRange.Target) -> String {
        "\(target.referenceIdentity):\(target.port)"
    }

    private static func commands(_ target: TestTLSServerRange.Target, rootFile: String) -> String {
        let authority = Self.authority(target)
        return """
              curl --cacert \(rootFile) --resolve \(authority):127.0.0.1 https://\(authority)/
              servertrust check \(authority) --connect-to 127.0.0.1 --roots \(rootFile) --anchors-only
            """
    }
}
