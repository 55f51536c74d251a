//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports

/// Instructions for systems and programs to trust the proxy's root, and to undo it.
enum InstallHint: String, CaseIterable, Sendable {
    case debian, fedora, firefox, chromium, java, curl, python, git, go, node

    /// Returns the commands with comments.
    ///
    /// - Parameter file: The file to which the root was or will be exported.
    func text(file: String) -> String {
        let file = Self.quoted(file)
        return "# \(self.title)\n" + self.lines(file).map { $0 + "\n" }.joined()
    }

    private var title: String {
        switch self {
        case .debian: "Debian, Ubuntu: all programs that use the system's certificates."
        case .fedora: "Fedora, RHEL: all programs that use the system's certificates."
        case .firefox: "Firefox, for one profile, which is named in about:profiles."
        case .chromium: "Chromium and Chrome on Linux, for one user."
        case .java: "One program in Java, with a trust store of its own."
        case .curl: "One call of curl."
        case .python: "Programs in Python: requests, and the standard library."
        case .git: "One call of git."
        case .go: "One program in Go, on Linux: the file stands in place of the system's certificates."
        case .node: "One program in Node.js. It uses proxies itself, or by NODE_USE_ENV_PROXY from release 24 on."
        }
    }

    private static let aboutCertutil = "# certutil is in the package libnss3-tools (Debian) or nss-tools (Fedora)."

    private func lines(_ file: String) -> [String] {
        let proxy = "http://127.0.0.1:8080"
        return switch self {
        case .debian:
            [
                "sudo cp \(file) /usr/local/share/ca-certificates/servertrust-proxy.crt && sudo update-ca-certificates",
                "# To undo it:",
                "sudo rm /usr/local/share/ca-certificates/servertrust-proxy.crt && sudo update-ca-certificates --fresh",
            ]
        case .fedora:
            [
                "sudo trust anchor --store \(file)", "# To undo it:", "sudo trust anchor --remove \(file)",
            ]
        case .firefox:
            [
                Self.aboutCertutil,
                "certutil -A -d sql:PROFILE -n servertrust-proxy -t C,, -i \(file)",
                "# Then set the proxy in the settings: HTTP proxy 127.0.0.1, port 8080, also for HTTPS. To undo it:",
                "certutil -D -d sql:PROFILE -n servertrust-proxy",
            ]
        case .chromium:
            [
                // Chromium creates the folder at its first use, but certutil does not create it.
                Self.aboutCertutil, "mkdir -p $HOME/.pki/nssdb",
                "certutil -A -d sql:$HOME/.pki/nssdb -n servertrust-proxy -t C,, -i \(file)",
                "chromium --proxy-server=\(proxy)", "# To undo it:",
                "certutil -D -d sql:$HOME/.pki/nssdb -n servertrust-proxy",
            ]
        case .java:
            [
                "keytool -importcert -noprompt -alias servertrust-proxy -file \(file) -keystore proxy.jks -storepass changeit",
                "java -Djavax.net.ssl.trustStore=proxy.jks -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=8080 …",
            ]
        case .curl: ["curl --proxy \(proxy) --cacert \(file) https://example.com/"]
        case .python:
            ["https_proxy=\(proxy) REQUESTS_CA_BUNDLE=\(file) SSL_CERT_FILE=\(file) python3 program.py"]
        case .git: ["git -c http.proxy=\(proxy) -c http.sslCAInfo=\(file) clone https://example.com/repository.git"]
        case .go: ["HTTPS_PROXY=\(proxy) SSL_CERT_FILE=\(file) SSL_CERT_DIR=/nonexistent ./program"]
        case .node: ["NODE_USE_ENV_PROXY=1 https_proxy=\(proxy) NODE_EXTRA_CA_CERTS=\(file) node program.js"]
        }
    }

    /// Returns a text as one word of a shell.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { octet in
            (0x61...0x7A).contains(octet | 0x20) || (0x30...0x39).contains(octet) || "/._-".utf8.contains(octet)
        }
        return isPlain && !text.isEmpty ? text : "'" + text.replacingScalars("'", with: "'\\''") + "'"
    }
}
