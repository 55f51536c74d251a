//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if YAML

import ConfigurationDocuments
import Yams

/// Turns the errors of Yams into those of documents.
///
/// Never by way of its description, which cuts the faulty line out of the text.
enum YAMLFault {
    static func documentError(
        for error: any Error, _ text: DocumentText, positions: YAMLPositions, limits: DocumentLimits
    ) -> DocumentError {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            DocumentError(Self.code(of: problem, limits), positions.position(of: mark))
        case .reader(let problem, let offset, _, _):
            DocumentError(.malformed(problem), Self.position(of: offset, text))
        case .duplicatedKeysInMapping(let keys, let context):
            DocumentError(.duplicateKey(keys.first ?? ""), positions.position(of: context.mark))
        default:
            DocumentError(.malformed("the YAML is not well-formed"))
        }
    }

    private static func code(of problem: String, _ limits: DocumentLimits) -> DocumentError.Code {
        if problem.hasPrefix("but found another document") { return .multipleDocuments }
        if problem.hasPrefix("Maximum nesting level") { return .tooDeep(limit: limits.maximumDepth) }
        // JSON writes characters above U+FFFF as two escapes, YAML does not.
        if problem.hasPrefix("found invalid Unicode character escape code") {
            return .unsupported("an escape is half of a surrogate pair; write the character itself")
        }
        return .malformed(problem)
    }

    /// Yams counts characters here, everywhere else it counts scalars.
    private static func position(of offset: Int?, _ text: DocumentText) -> TextPosition? {
        let string = text.string
        guard let offset,
            let index = string.index(string.startIndex, offsetBy: offset, limitedBy: string.endIndex)
        else { return nil }
        return TextCursor.position(of: string.utf8.distance(from: string.startIndex, to: index), in: text.bytes)
    }
}

#endif
