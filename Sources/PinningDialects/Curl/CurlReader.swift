//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// Reads lines with a host and the argument of `--pinnedpubkey`, and curl's command lines and configuration files.
struct CurlReader: DialectReader {
    var log = DiagnosticLog()
    private var domains = DomainCollector()

    mutating func configuration(of bytes: [UInt8]) throws(DocumentError) -> PinningConfiguration? {
        let text = Array(try DocumentText(bytes).string.utf8)
        let lines = CurlWord.lines(of: text, &self.log)
        if text.contains(CurlOption.pinnedPublicKey.rawValue.utf8) {
            var scanner = CurlCommandScanner()
            for operation in scanner.operations(in: lines, &self.log) { self.add(operation) }
        } else {
            for words in lines { self.add(line: words) }
        }
        return self.domains.configuration
    }

    private mutating func add(line words: [CurlWord]) {
        guard let host = words.first, !self.log.isExhausted else { return }
        guard words.count == 2 else {
            self.log.add(
                words.count < 2 ? .missingValue : .invalidValue,
                "\(host.text.quoted): a line has a host and, behind a space, its pins.",
                remedy: "Write host:port \(CurlOption.pinPrefix)….", at: host.position)
            return
        }
        self.add([host], pins: words[1])
    }

    private mutating func add(_ operation: CurlCommandScanner.Operation) {
        guard let pins = operation.pins else {
            if let url = operation.urls.first {
                self.log.add(
                    .ignored, "\(url.text.quoted) is fetched without pins.",
                    remedy: "Add --\(CurlOption.pinnedPublicKey.rawValue).", at: url.position)
            }
            return
        }
        if operation.urls.isEmpty {
            self.log.add(.missingValue, "The pins are for no URL.", remedy: "Add one with https.", at: pins.position)
        }
        self.add(operation.urls.compactMap { self.authority(of: $0) }, pins: pins)
    }

    private mutating func add(_ hosts: [CurlWord], pins word: CurlWord) {
        let pins = self.pins(word, of: hosts.first.map(\.text.quoted) ?? "A pin")
        // curl compares only the server's own key (Curl_pin_peer_pubkey). All hosts share one set.
        let set = PinSet(unchecked: [PinSet.Requirement(pins, scope: .leaf)])
        var seen: Set<String> = []
        for host in hosts where seen.insert(host.text).inserted {
            guard let pattern = self.host(host) else { continue }
            var domain = PinnedDomain(pattern.host, port: pattern.port, pins: set)
            domain.position = host.position
            self.domains.add(domain, &self.log)
        }
    }
}

// MARK: Hosts and pins

extension CurlReader {
    /// Returns the host of a URL with its port, if it has one. A host without a port covers every port and not 443 alone, because
    /// a look-up without a port must find the pins.
    private mutating func authority(of url: CurlWord) -> CurlWord? {
        let scheme = "https://"
        guard url.text.lowercased().hasPrefix(scheme) else {
            self.log.add(
                .invalidHost, "\(url.text.quoted) is no URL with https, and its server has no key to pin.",
                remedy: "Write https://host.", at: url.position)
            return nil
        }
        let rest = url.text.utf8.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        return CurlWord(text: authority.text, position: url.position)
    }

    private mutating func host(_ word: CurlWord) -> HostPattern? {
        do {
            let pattern = try HostPattern(word.text)
            guard pattern.breadth != .exact else { return pattern }
            self.log.add(
                .invalidHost, "\(word.text.quoted): curl pins the one host of a URL.",
                remedy: "Write the name of a host.",
                at: word.position)
        } catch {
            self.log.add(.invalidHost, word.text.quoted, error: error, otherwise: "write a DNS name", at: word.position)
        }
        return nil
    }

    private mutating func pins(_ word: CurlWord, of subject: String) -> [Pin] {
        word.text.split(separator: CurlOption.separator, omittingEmptySubsequences: false).compactMap { text in
            guard text.hasPrefix(CurlOption.pinPrefix) else {
                self.log.add(
                    .invalidPin, "\(subject): curl would take \(String(text).quoted) for the name of a file.",
                    remedy:
                        "Write \(CurlOption.pinPrefix) and the Base64 of the key's digest.",
                    at: word.position)
                return nil
            }
            let base64 = String(text.dropFirst(CurlOption.pinPrefix.count))
            return self.log.pin(
                inBase64: base64, decodedBy: nil, of: subject, prefix: CurlOption.pinPrefix,
                reaction: "curl never finds it", at: word.position)
        }
    }
}
