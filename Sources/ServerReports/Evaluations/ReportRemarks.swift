//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerTrust

/// The remarks at the end of a report: the common basis of the verdicts on all chains.
package struct ReportRemarks: Sendable {
    let storeIssues: [TrustStoreIssue]
    private let revocation: CheckedRevocation
    private let publicTrust: PublicTrustBasis?

    /// Creates the remarks.
    ///
    /// - Parameters:
    ///   - storeIssues: The certificates that were left out of the trust stores.
    ///   - revocation: The extent of the revocation checks.
    ///   - publicTrust: The public roots that the verdicts depend on, or `nil` if none are trusted.
    package init(_ storeIssues: [TrustStoreIssue], _ revocation: CheckedRevocation, publicTrust: PublicTrustBasis?) {
        self.storeIssues = storeIssues
        self.revocation = revocation
        self.publicTrust = publicTrust
    }

    /// Returns the remarks, one or two sentences each.
    ///
    /// - Parameters:
    ///   - file: The file with the saved certificates of a server, or `nil` if none was saved.
    ///   - spelling: The words of the program.
    func sentences(savedTo file: String?, spelling: RemedySpelling) -> [String] {
        var sentences = self.publicTrust.map { [$0.sentence] } ?? ["Certificate transparency was not checked."]
        if let sentence = self.revocation.sentence {
            let advice = self.revocation == .stapled ? spelling.askingRevocation : nil
            sentences.append([sentence, advice].compactMap(\.self).joined(separator: " "))
        }
        if let file { sentences.append("What the server sent was written to \(DisplayText.text(file)).") }
        let shown = 4
        sentences += self.storeIssues.prefix(shown).map { "Left out of the anchors: \(DisplayText.text("\($0)"))" }
        if self.storeIssues.count > shown {
            sentences.append("… and \(self.storeIssues.count - shown) more certificates, which JSON lists.")
        }
        return sentences
    }

    func text(_ style: TextStyle, savedTo file: String? = nil) -> String {
        style.wrapped(
            "\n" + self.sentences(savedTo: file, spelling: style.spelling).map { style.dim($0) + "\n" }.joined())
    }
}

/// The extent of the revocation checks.
package enum CheckedRevocation: Sendable {
    /// Revocation was not checked.
    case unchecked
    /// The stapled responses were read.
    case stapled
    /// The stapled responses and the caller's files were read.
    case given
    /// All sources were used that the caller asked for.
    case checked

    static let givenSentence = "Revocation was checked by stapled responses and the given files alone."

    fileprivate var sentence: String? {
        switch self {
        case .unchecked: "Revocation was not checked."
        case .stapled: "Revocation was checked by stapled responses alone."
        case .given: Self.givenSentence
        case .checked: nil
        }
    }
}
