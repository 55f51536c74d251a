//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import HTTPTypes

/// The response to a request for the rest of a content, as sent with --continue-at (RFC 9110 §14).
struct RangeResponse {
    private let response: HTTPSessionResponse
    private let part: ContentRange?

    /// Checks that a response contains the rest of the content.
    ///
    /// - Parameter offset: The number of bytes that exist already, at least one.
    /// - Returns: `nil` if nothing is missing.
    /// - Throws: ``CommandError`` if the server sends any other content.
    init?(_ response: HTTPSessionResponse, behind offset: Int) throws {
        self.response = response
        self.part = ContentRange(response.fields)
        switch response.status {
        case 416:
            guard case .unsatisfied(let total)? = self.part else { return nil }
            guard total != offset else { return nil }
            throw self.error("the server has \(total) bytes, and \(offset) are there already")
        case 206:
            // A response without a valid range must not be appended (RFC 9110 §14.4).
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

    /// Compares the received content with the announced range before it is written.
    ///
    /// - Parameter received: The number of bytes so far.
    /// - Throws: ``CommandError`` if there are too many.
    func checkStart(received: Int) throws {
        guard case .part(let range, _)? = self.part, received > range.count else { return }
        throw self.hasOtherLength
    }

    /// Compares the received content with the announced range and with the total length.
    ///
    /// - Parameter received: The number of received bytes, or `nil` if the content was decoded and cannot be counted.
    /// - Throws: ``CommandError`` if content is missing.
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
