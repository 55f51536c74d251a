//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerTrust

extension TrustNote {
    /// Returns the note as lines of text: the message, the advice, and the code with its section.
    package func text(_ style: TextStyle) -> String {
        let section = self.rule.map { ", \($0.section)" } ?? ""
        return
            "  Note: \(DisplayText.text(self.message))\n  \(style.spelling.text(self.advice, self.actions))\n"
            + "  \(style.dim("[\(self.code)\(section)]"))\n"
    }
}

/// A note that does not affect the verdict, in JSON.
package struct JSONTrustNote: Encodable {
    private let code: String
    private let message: String
    private let advice: String
    private let section: String?
    private let link: String?
    private let certificateIndex: Int?
    private let certificateSubject: String?

    package init(_ note: TrustNote) {
        self.code = note.code
        self.message = DisplayText.text(note.message)
        self.advice = note.advice
        self.section = note.rule?.section
        self.link = note.rule?.link
        self.certificateIndex = note.certificateIndex
        self.certificateSubject = note.certificate?.subject
    }
}

/// A rule and its source, in JSON.
package struct JSONRule: Encodable {
    private let id: String
    private let requirement: String
    private let section: String
    private let link: String

    package init(_ rule: TrustRule) {
        self.id = rule.id
        self.requirement = rule.requirement
        self.section = rule.section
        self.link = rule.link
    }
}
