//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Synchronization

/// The programs that tests looked for and did not find. The end of a test run names them in one line.
enum MissingPrograms {
    private static let names = Mutex<Set<String>>([])

    /// Records a program that is not installed.
    static func insert(_ name: String) {
        let isFirst = Self.names.withLock { names in
            defer { names.insert(name) }
            return names.isEmpty
        }
        if isFirst { atexit { MissingPrograms.printSummary() } }
    }

    private static func printSummary() {
        let names = Self.names.withLock { $0 }
        print(Self.summary(of: names))
    }

    /// Returns one line with the programs and the commands that install them.
    static func summary(of names: Set<String>) -> String {
        let known = names.filter { Self.packages[$0] != nil || Self.pythonPackages[$0] != nil }
        let commands = [
            ("apt-get install", Set(names.compactMap { Self.packages[$0] })),
            ("pip install", Set(names.compactMap { Self.pythonPackages[$0] })),
        ].filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1.sorted().joined(separator: " "))" }
        let others = names.subtracting(known).sorted()
        return "Skipped for want of programs: \(names.sorted().joined(separator: ", "))."
            + (commands.isEmpty ? "" : " To run these tests: \(commands.joined(separator: " && ")).")
            + (others.isEmpty ? "" : " .ci/run installs \(others.joined(separator: ", ")).")
    }

    /// Debian's packages by program.
    private static let packages = [
        "apache2": "apache2", "bash": "bash", "caddy": "caddy", "chromium": "chromium", "curl": "curl",
        "dovecot": "dovecot-imapd", "postconf": "postfix", "git": "git", "gnutls-serv": "gnutls-bin", "go": "golang-go",
        "haproxy": "haproxy",
        "gnutls-cli": "gnutls-bin", "java": "default-jdk-headless", "javac": "default-jdk-headless",
        "lighttpd": "lighttpd", "nginx": "nginx", "node": "nodejs", "openssl": "openssl", "parallel": "parallel",
        "pk12util": "libnss3-tools", "python3": "python3", "script": "bsdutils", "squid": "squid", "sslscan": "sslscan",
        "tar": "tar", "unshare": "util-linux", "xmllint": "libxml2-utils",
    ]

    /// PyPI's packages by program.
    private static let pythonPackages = [
        "junitparser": "junitparser", "mitmdump": "mitmproxy", "sarif-kit": "sarif-kit", "sslyze": "sslyze",
    ]
}
