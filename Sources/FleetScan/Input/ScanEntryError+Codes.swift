//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerReports

/// The codes of lines that name no server and of servers that cannot be evaluated.
package enum ScanEntryCodes {
    package static let all = ScanEntryError.Code.allCases.map { code in
        ExplainedCode(.list, code.rawValue, sentence: code.sentence, remedy: code.remedy)
    }
}

extension ScanEntryError.Code {
    fileprivate var sentence: String {
        switch self {
        case .lineTooLong: "The line of the list is longer than is read."
        case .notText: "The line of the list is not text in UTF-8."
        case .notJSON: "The line of the list begins as a JSON object and is not one."
        case .notAServer: "The line of the list names no server."
        case .notJudged: "The server answered, and could not be judged."
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .lineTooLong, .notAServer: "Write HOST, HOST:PORT, a URL, or a JSON object with \"host\" in the line."
        case .notText: "Save the list as UTF-8."
        case .notJSON: "Write one whole JSON object in the line, with \"host\"."
        case .notJudged: "The message has the reason: mend what it names, and scan the host again."
        }
    }
}
