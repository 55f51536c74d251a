//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

// Parsing that several dialects share.
extension DiagnosticLog {
    /// Reads a pin that consists of Base64 only, as the dialect's original reader decodes it.
    ///
    /// - Parameters:
    ///   - decoder: The decoder of that reader, or `nil` if it compares text with text.
    ///   - prefix: The prefix of the Base64 in the dialect.
    ///   - reaction: The reaction of that reader to any other text.
    mutating func pin(
        inBase64 text: String, decodedBy decoder: PinDecoder?, of subject: String, prefix: String = "",
        reaction: String, at position: TextPosition?
    ) -> Pin? {
        guard !self.isExhausted else { return nil }
        if let pin = decoder?.pin(inBase64: text) { return pin }
        let pin: Pin
        do {
            pin = try Pin(text)
        } catch {
            self.add(error, of: subject, prefix: prefix, reaction: reaction, at: position)
            return nil
        }
        guard pin.kind == .publicKey, pin.base64 == text else {
            self.add(
                .invalidPin, "\(subject): \(text.quoted) is not the Base64 of a key's digest alone; \(reaction).",
                remedy: Self.remedy(for: pin, writtenAs: text, prefix: prefix), at: position)
            return nil
        }
        return pin
    }

    /// Returns the spelling of a pin that the dialect reads. Hexadecimal digits can be a certificate's fingerprint, which no text
    /// tells from the digest of a key.
    private static func remedy(for pin: Pin, writtenAs text: String, prefix: String) -> String {
        guard pin.kind == .publicKey else { return "Pin the digest of the key, not the certificate's." }
        let words = "rite \(prefix)\(pin.base64)."
        return Self.isHexadecimal(text)
            ? "If it is the digest of the key, w\(words) If it is the fingerprint of a certificate, take the digest of its key."
            : "W\(words)"
    }

    private static func isHexadecimal(_ text: String) -> Bool {
        let digits = text.filter { $0 != ":" }
        return digits.count >= 64 && digits.suffix(64).allSatisfy { $0.isASCII && $0.isHexDigit }
    }

    /// Reports that a text is not a pin, with a correction in the dialect's spelling.
    private mutating func add(
        _ error: PinError, of subject: String, prefix: String, reaction: String, at position: TextPosition?
    ) {
        var (message, remedy) = Sentences.parts(of: "\(error)", otherwise: "write Base64")
        switch error.code {
        case .empty, .notADigest, .unknownDigest:
            remedy =
                prefix.isEmpty
                ? "Write the 44 characters of Base64 of the key's digest alone."
                : "Write \(prefix) and the 44 characters of Base64 of the key's digest."
        default: break
        }
        self.add(
            .invalidPin, "\(subject): \(message.dropLast()); \(reaction).", remedy: remedy, at: position)
    }

    /// Reads a pin in any spelling.
    mutating func pin(_ text: String, of subject: String, at position: TextPosition?) -> Pin? {
        guard !self.isExhausted else { return nil }
        do {
            let pin = try Pin(text)
            if pin.kind == .publicKey, Self.isHexadecimal(text) {
                self.add(
                    .fingerprintForm,
                    "\(subject): \(text.quoted) is written as the fingerprints of certificates are, and counts as the "
                        + "digest of a key.",
                    remedy: "See that it is the digest of the key (SubjectPublicKeyInfo), and write it in Base64.",
                    at: position)
            }
            return pin
        } catch {
            self.add(.invalidPin, subject, error: error, otherwise: "write sha256/ and Base64", at: position)
            return nil
        }
    }

    /// Reads a host that the dialect compares as text. Another spelling of the host would never match.
    mutating func host(comparedAsText text: String, by dialect: String, at position: TextPosition?) -> HostPattern? {
        guard let pattern = self.host(text, at: position) else { return nil }
        guard pattern.host == text.lowercased() else {
            self.add(
                .invalidHost, "\(text.quoted): \(dialect) never finds a host under this spelling of it.",
                remedy: "Write \(pattern.host).", at: position)
            return nil
        }
        return pattern
    }

    /// Reads a host without asterisks and without a port.
    mutating func host(_ text: String, at position: TextPosition?) -> HostPattern? {
        guard !self.isExhausted else { return nil }
        do {
            return try HostPattern(host: text)
        } catch {
            self.add(.invalidHost, text.quoted, error: error, otherwise: "write a DNS name", at: position)
            return nil
        }
    }

    /// Reads an HTTP or HTTPS URL that can receive reports.
    mutating func reportURI(_ text: String, of subject: String, at position: TextPosition?) -> String? {
        let rest = ["https://", "http://"].first { text.hasPrefix($0) }.map { text.dropFirst($0.count) }
        guard let rest, let first = rest.utf8.first, first != UInt8(ascii: "/"), text.utf8.count <= 2_048,
            rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            self.add(
                .invalidValue, "\(subject): nothing can be reported to \(text.quoted).",
                remedy: "Write a URL with https.",
                at: position)
            return nil
        }
        return text
    }

    mutating func certificates(inPEM text: String, of subject: String, at position: TextPosition?) -> [Certificate] {
        do {
            return try Certificate.certificates(in: text.utf8)
        } catch {
            self.add(
                .invalidCertificate, subject, error: error, otherwise: "give the certificate in PEM, from BEGIN to END",
                at: position)
            return []
        }
    }

    /// Reports pins that match no path.
    mutating func emptyPins(_ subject: String, at position: TextPosition?) {
        self.add(
            .emptyPins, "\(subject) is pinned to nothing, and every connection to it fails.",
            remedy: "Add the digests of its keys.", at: position)
    }
}

/// The domains of a configuration while it is read, each with valid hosts.
struct DomainCollector {
    private(set) var configuration: PinningConfiguration
    private var patterns: Set<HostPattern> = []
    private var pinCount = 0

    init(_ combination: PinningConfiguration.Combination = .mostSpecific) {
        self.configuration = PinningConfiguration(combination: combination)
    }

    /// Adds a domain, or reports that its hosts are not valid or are duplicates in a dialect that permits only one domain.
    mutating func add(_ domain: PinnedDomain, _ log: inout DiagnosticLog) {
        guard self.hasRoom(for: domain, &log) else { return }
        do {
            for pattern in try domain.patterns() where !self.patterns.insert(pattern).inserted {
                guard self.configuration.combination == .mostSpecific else { continue }
                log.add(
                    .duplicate, "\("\(pattern)".quoted) is there twice, and only one can speak.",
                    remedy: "Remove one of them.", at: domain.position)
                return
            }
            self.configuration.domains.append(domain)
        } catch {
            log.add(.invalidHost, domain.host.quoted, error: error, otherwise: "write a DNS name", at: domain.position)
        }
    }

    /// Returns `true` if the limits allow another domain. In a small file, a few hundred names that share a few thousand pins
    /// would become millions of pins.
    private mutating func hasRoom(for domain: PinnedDomain, _ log: inout DiagnosticLog) -> Bool {
        guard !log.isExhausted, self.pinCount <= Self.maximumPins else { return false }
        self.pinCount += domain.pins?.size ?? 0
        if self.pinCount > Self.maximumPins {
            log.add(
                .invalidValue, "The domains have more than \(Self.maximumPins) pins together.",
                remedy: "Pin an authority in place of its servers.", at: domain.position)
        } else if self.configuration.domains.count >= Self.maximumDomains {
            self.pinCount = Self.maximumPins + 1
            log.add(
                .invalidValue, "The file has more than \(Self.maximumDomains) domains.",
                remedy: "Pin a domain with its sub-domains.", at: domain.position)
        }
        return self.pinCount <= Self.maximumPins
    }

    /// More pins than a file of 4 MiB can list one by one.
    static let maximumPins = 100_000
    static let maximumDomains = 100_000
}
