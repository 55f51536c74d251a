//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The faults of servers that one message of Apple's systems reports.
///
/// The formats are those of the system's TLS library, CFNetwork, Security and nscurl.
struct LogMessage {
    private(set) var records: [LoggedRecord] = []
    /// `true` if the message is of a known kind in an unknown wording.
    private(set) var isUnknown = false
    /// `true` if the message continues on the next line.
    private(set) var isIncomplete = false

    /// `true` if the message has nothing that this reader looks for.
    var isEmpty: Bool { self.records.isEmpty && !self.isUnknown && !self.isIncomplete }

    private let text: MessageText
    /// The endings of messages that continue on the next line.
    private static let openEndings = [
        "Trust evaluate", "ATS failed", "ATS failed system", "[ATS", "[ATS FCPv2.1", "DomainSSL,",
    ]

    /// Reads a message.
    ///
    /// - Parameter text: The message, with a space for each line break.
    init(_ text: String) {
        self.text = MessageText(text)
        self.readViolations()
        self.readFailedChecks()
        self.readErrors()
        self.readCodes()
        self.readOthers()
        if Self.openEndings.contains(where: self.text.hasSuffix) { self.isIncomplete = true }
    }
}

// MARK: - App Transport Security

extension LogMessage {
    private mutating func readViolations() {
        for mark in ["[ATS FCPv2.1 violation]:", "[ATS Violation]:", "[ATS violation]:"] {
            for end in self.text.ends(of: mark) {
                let message = self.text.after(end)
                guard let (words, rest) = message.split(at: "for server:"), let server = rest.server else {
                    self.isIncomplete = true
                    continue
                }
                guard let fault = Self.violation(words) else {
                    self.isUnknown = true
                    continue
                }
                var record = LoggedRecord(fault, server: server)
                record.isWarning = self.text.before(end - mark.utf8.count).hasSuffix("Warning ")
                self.records.append(record)
            }
        }
        if self.records.isEmpty, !self.isIncomplete, self.text.contains("[ATS"), self.text.contains("iolation]") {
            self.isUnknown = true
        }
    }

    private static func violation(_ words: MessageText) -> LoggedFault? {
        if let suite = words.between("Ciphersuite(", ") not offered in ATS FCP_v2.1 mode") {
            return .cipherSuite(suite.shortened)
        }
        if let algorithm = words.between("signature algorithm ", " not advertised in client hello") {
            return .signatureAlgorithm(algorithm.shortened)
        }
        if words.contains("without extended master secret") { return .noExtendedMasterSecret }
        if words.contains("certificate trust requirement not satisfied") { return .trustRequirement }
        for kind in ["ECDSA", "RSA"] {
            guard let bits = words.number(after: "\(kind) key size "),
                let minimum = words.number(after: "bits is less than minimum ")
            else { continue }
            return .keySize(kind: kind, bits: bits, minimum: minimum)
        }
        if let digest = words.number(after: "Leaf certificate hash algorithm (") { return .leafDigest(digest) }
        if words.contains("Leaf certificate is absent") { return .noLeaf }
        return words.contains("Peer public key not set") ? .noKey : nil
    }
}

// MARK: - Trust

extension LogMessage {
    private static let checksMark = "Trust evaluate failure:"

    private mutating func readFailedChecks() {
        for end in self.text.ends(of: Self.checksMark) {
            var rest = self.text.after(end).trimmed
            var certificates: [LoggedFault.FailedChecks] = []
            while rest.hasPrefix("[") {
                guard let inside = rest.between("[", "]") else {
                    self.isIncomplete = true
                    break
                }
                let words = inside.split(separator: " ").map(String.init)
                guard let label = words.first, words.count > 1, Self.isLabel(label), Self.areChecks(words),
                    certificates.count < Self.maximumCertificates
                else { break }
                certificates.append(.init(label: label, names: Array(words.dropFirst())))
                rest = rest.after(inside.utf8.count + 2).trimmed
            }
            if certificates.isEmpty {
                // The certificates may be on the next line.
                if rest.isEmpty { self.isIncomplete = true } else if !self.isIncomplete { self.isUnknown = true }
            } else {
                self.records.append(LoggedRecord(.checks(certificates)))
            }
        }
    }

    /// Limits above the certificates of a path and the checks of a certificate, so that a hostile log cannot use much memory.
    private static let (maximumCertificates, maximumChecks, longestCheck) = (16, 40, 64)

    private static func areChecks(_ words: [String]) -> Bool {
        words.count <= Self.maximumChecks && words.allSatisfy { $0.utf8.count <= Self.longestCheck }
    }

    private static func isLabel(_ word: String) -> Bool {
        word == "leaf" || word == "root" || word.hasPrefix("ca") && Int(word.dropFirst(2)) != nil
    }
}

// MARK: - Errors of URL loading

extension LogMessage {
    /// The error codes that concern TLS and App Transport Security.
    private static let urlErrors = Set([-1022] + (-1206 ... -1200))

    private mutating func readErrors() {
        let mark = "NSURLErrorDomain Code="
        // An error inside the first one is its cause and belongs to the same failure.
        guard let end = self.text.ends(of: mark).first else { return }
        let error = self.text.after(end)
        guard let code = error.leadingNumber, Self.urlErrors.contains(code) else { return }
        let body = error.braced
        let isCut = error.contains("UserInfo={") || error.hasOpenQuote || error.hasSuffix("\"")
        if body == nil, isCut { self.isIncomplete = true }
        let info = body ?? error
        var record = LoggedRecord(.load(urlError: code, streamCode: info.number(after: "_kCFStreamErrorCodeKey=")))
        record.server = Self.server(info)
        record.chain = info.chain
        record.task = self.text.task
        self.records.append(record)
    }

    private static func server(_ info: MessageText) -> String? {
        for key in ["NSErrorFailingURLStringKey=", "NSErrorFailingURLKey="] {
            if let end = info.ends(of: key).first, let server = info.after(end).urlServer { return server }
        }
        return info.between("pretending to be “", "”").flatMap { MessageText($0).server }
    }

    private mutating func readCodes() {
        guard self.records.isEmpty else { return }
        let task = self.text.task
        if let code = self.text.number(after: "error code: "), let stream = self.text.number(after: "[3:") {
            self.add(.load(urlError: code, streamCode: stream), task)
            return
        }
        let marks = [
            "kCFStreamErrorDomainSSL, ", "TLS Trust evaluation failed(", "encountered error(3:", "encountered error 3:",
            "[3:",
        ]
        let text = self.text
        if let code = marks.lazy.compactMap({ text.number(after: $0) }).first, code <= -9_800, code >= -9_899 {
            self.add(.streamCode(code), task)
        } else if self.text.contains("3:-98") || self.text.contains("DomainSSL, -98") {
            self.isUnknown = true
        }
    }

    private mutating func add(_ fault: LoggedFault, _ task: String?) {
        var record = LoggedRecord(fault)
        record.task = task
        self.records.append(record)
    }
}

// MARK: - Errors outside of URL loading

extension LogMessage {
    private mutating func readOthers() {
        if self.text.contains("ATS failed system trust") {
            self.records.append(LoggedRecord(.systemTrust))
        }
        if self.records.isEmpty, let (_, rest) = self.text.split(at: "has blocked a cleartext HTTP") {
            let server = rest.between("connection to ", " since").flatMap { MessageText($0).server }
            self.records.append(LoggedRecord(.load(urlError: -1022, streamCode: nil), server: server))
        }
        if let end = self.text.ends(of: "The server certificate for “").first {
            guard self.text.contains("is invalid") else {
                self.isIncomplete = true
                return
            }
            self.records.append(LoggedRecord(.profileNotInstalled, server: self.text.after(end).urlServer))
        }
    }
}
