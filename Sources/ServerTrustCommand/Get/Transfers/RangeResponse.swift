//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import HTTPTypes

/// The rest of a content that is asked for with --continue-at (RFC 9110 §14).
struct RangeResponse {
    private let response: HTTPSessionResponse
    private let part: ContentRange?

    /// - Parameter offset: The octets that are there already, one at least.
    /// - Returns: `nil` where nothing is missing.
    /// - Throws: ``CommandError`` where the server sends something else than the rest.
    init?(_ response: HTTPSessionResponse, behind offset: Int) throws {
        self.response = response
        self.part = ContentRange(response.fields)
        switch response.status {
        case 416:
            guard case .unsatisfied(let total)? = self.part else { return nil }
            guard total != offset else { return nil }
            throw self.error("the server has \(total) bytes, and \(offset) are there already")
        case 206:
            // What has no valid range must not be joined (RFC 9110 §14.4).
            guard case .part(let range, _)? = self.part, range.lowerBound == offset else {
                throw self.error("the server sends another part than the rest behind byte \(offset)")
            }
            guard response.fields[.contentLength].flatMap({ Int($0) }) ?? range.count == range.count else {
                throw self.hasOtherLength
            }
        case 200..<300:
            if response.fields[.contentLength].flatMap({ Int($0) }) == offset { return nil }
            throw self.error("the server does not send parts of files. Get the whole without --continue-at")
        default: throw self.error("the server answers with status \(response.status)")
        }
    }

    /// Holds what comes against what the server said it sends, before it is written.
    ///
    /// - Parameter received: The octets so far.
    /// - Throws: ``CommandError`` where there are more.
    func checkStart(received: Int) throws {
        guard case .part(let range, _)? = self.part, received > range.count else { return }
        throw self.hasOtherLength
    }

    /// Holds what came against what the server said it sends, and against the whole.
    ///
    /// - Parameter received: The octets that came; `nil` where they are not those of the part.
    /// - Throws: ``CommandError`` where something is missing.
    func check(received: Int?) throws {
        guard case .part(let range, let total)? = self.part else { return }
        guard received == nil || received == range.count else {
            throw self.hasOtherLength
        }
        guard total == nil || total == range.upperBound + 1 else {
            throw self.error("the server has sent a part of the rest. Run the command again with --continue-at -")
        }
    }

    private var hasOtherLength: CommandError { self.error("the part has another length than its Content-Range says") }

    private func error(_ text: String) -> CommandError { CommandError("\(self.response.url): \(text)") }
}
