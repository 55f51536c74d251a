//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleFiles
import ServerTrust

/// The explanation of a pasted text: log lines of Apple's systems, codes, checks, results and messages.
package struct TextExplanation: Sendable {
    /// The meanings of the lines of Apple's systems, in their order.
    package let meanings: [(server: String?, meaning: LoggedMeaning)]
    /// The codes in the order of the text.
    package let codes: [ExplainedCode]

    package var isEmpty: Bool { self.meanings.isEmpty && self.codes.isEmpty }

    /// Searches a text for lines and codes.
    ///
    /// - Parameters:
    ///   - text: The text. Only the first 256 KiB are read.
    ///   - all: The codes to search for.
    package init(_ text: String, in all: [ExplainedCode]) {
        let text = String(decoding: text.utf8.prefix(Self.maximumSize), as: UTF8.self)
        let servers = LogReader.records(in: text)
        self.meanings = servers.flatMap { server in server.findings.map { (server.name, $0.meaning) } }
        let names = self.meanings.flatMap(\.meaning.related)
        let marks = self.meanings.isEmpty ? Self.marks(in: text, all) : []
        let found = marks + Self.words(in: text).flatMap { Self.codes(of: $0, in: all) } + Self.messages(in: text, all)
        let related = names.flatMap { name in all.filter { $0.id == name } }
        var seen = Set<String>()
        self.codes = (related + found).filter { seen.insert("\($0.kind) \($0.id)").inserted }
    }

    private static let maximumSize = 256 << 10
}

// MARK: - Codes and names

extension TextExplanation {
    /// Returns the words and numbers of a text, each once.
    private static func words(in text: String) -> [String] {
        var words: [String] = []
        var word = ""
        for character in text + " " {
            if character.isASCII, character.isLetter || character.isNumber || character == "_" || character == "-" {
                word.append(character)
            } else if !word.isEmpty {
                words.append(word)
                word = ""
            }
        }
        return words.uniqued()
    }

    private static func codes(of word: String, in all: [ExplainedCode]) -> [ExplainedCode] {
        if let number = Int(word) {
            // A number without a sign may have any meaning, such as a port, a length or a line.
            return number < 0 ? all.filter { $0.number == number } : []
        }
        if let check = TrustCheck(rawValue: word) {
            return LoggedFault.rules(of: check.rawValue).flatMap { rule in all.filter { $0.id == rule.id } }
        }
        if word.hasPrefix("nw_protocol_boringssl") || word.hasPrefix("boringssl_") {
            return all.filter { $0.id == CodeIndex.libraryLine }
        }
        // Plain English words are also codes, so only names with the form of a code are looked up.
        guard
            word.contains("_") || word.contains("-")
                || ["err", "NSURL", "kSecTrustResult"].contains(where: word.hasPrefix)
        else { return [] }
        let names = Self.otherNames[word].map { [$0] } ?? [word]
        return names.flatMap { name in
            all.filter { $0.id == name || $0.id == "X509_V_ERR_\(name)" || $0.id.hasSuffix("/\(name)") }
        }
    }

    /// The names of other programs for codes of this package.
    private static let otherNames: [String: String] = [
        "CERTIFICATE_VERIFY_FAILED": "untrusted", "SSL_ERROR_BAD_CERT_DOMAIN": "name-mismatch",
        "ERR_CERT_AUTHORITY_INVALID": "untrusted-root", "ERR_CERT_DATE_INVALID": "expired",
        "ERR_CERT_COMMON_NAME_INVALID": "name-mismatch", "SEC_ERROR_UNKNOWN_ISSUER": "unknown-issuer",
        "DEPTH_ZERO_SELF_SIGNED_CERT": "untrusted-root", "SELF_SIGNED_CERT_IN_CHAIN": "untrusted-root",
        "UNABLE_TO_VERIFY_LEAF_SIGNATURE": "unknown-issuer", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY": "unknown-issuer",
        "CERT_HAS_EXPIRED": "expired", "ERR_TLS_CERT_ALTNAME_INVALID": "name-mismatch",
    ]
}

// MARK: - Messages

extension TextExplanation {
    /// Returns the codes for the messages of other programs in a text.
    private static func messages(in text: String, _ all: [ExplainedCode]) -> [ExplainedCode] {
        let lowered = text.lowercased()
        let places = Self.allMessages.compactMap { message, id in
            lowered.firstRange(of: message).map { ($0, id) }
        }
        // "unable to get issuer certificate" is not part of another message, but "self-signed certificate" is.
        let outer = places.filter { range, _ in
            !places.contains {
                $0.0 != range && $0.0.lowerBound <= range.lowerBound && $0.0.upperBound >= range.upperBound
            }
        }.sorted { $0.0.lowerBound < $1.0.lowerBound }
        return outer.flatMap { _, id in all.filter { $0.id == id } }
    }

    /// Returns the codes for the marks of Apple's log lines, for a text that has a mark without its line.
    private static func marks(in text: String, _ all: [ExplainedCode]) -> [ExplainedCode] {
        let lowered = text.lowercased()
        let marks = [("[ats fcpv2.1 violation]", "FCP_v2.1"), ("[ats violation]", "ats")]
        return marks.filter { lowered.contains($0.0) }.flatMap { _, id in all.filter { $0.id == id } }
    }

    static let allMessages: [(String, String)] =
        VerificationCode.all.map { ($0.explained.title.lowercased(), $0.explained.id) } + Self.otherMessages

    /// The messages of Go's crypto/x509, of Java's PKIX validation, of curl, Node.js and rustls.
    private static let otherMessages: [(String, String)] = [
        // Go
        ("certificate signed by unknown authority", "unknown-issuer"),
        ("certificate has expired or is not yet valid", "expired"), ("certificate is valid for", "name-mismatch"),
        ("cannot validate certificate for", "name-mismatch"),
        ("certificate relies on legacy common name field", "name-mismatch"),
        ("certificate is not authorized to sign other certificates", "not-a-ca"),
        ("certificate specifies an incompatible key usage", "eku"),
        ("too many intermediates for path length constraint", "path-length"),
        ("is not permitted by any constraint", "name-constraints"),
        ("unhandled critical extension", "critical-extension"),
        ("certificate is not standards compliant", "certificate-rule"),
        // Java
        ("unable to find valid certification path to requested target", "unknown-issuer"),
        ("pkix path building failed", "unknown-issuer"),
        ("path does not chain with any of the trust anchors", "untrusted-root"),
        ("no subject alternative dns name matching", "name-mismatch"),
        ("no subject alternative names present", "name-mismatch"), ("no name matching", "name-mismatch"),
        ("certificateexpiredexception", "expired"), ("certificatenotyetvalidexception", "not-yet-valid"),
        ("algorithm constraints check failed", "weak-signature"),
        ("trust anchor for certification path not found", "unknown-issuer"),
        ("certificate has been revoked", "revoked"),
        // OpenSSL before 3.0, curl, Python, Node.js, rustls
        ("self signed certificate in certificate chain", "untrusted-root"),
        ("self signed certificate", "untrusted-root"),
        ("hostname mismatch", "name-mismatch"), ("ip address mismatch", "name-mismatch"),
        ("no alternative certificate subject name matches", "name-mismatch"),
        ("hostname/ip does not match certificate's altnames", "name-mismatch"), ("unknownissuer", "unknown-issuer"),
        ("certexpired", "expired"), ("certnotvalidforname", "name-mismatch"),
    ]
}
