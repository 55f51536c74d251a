//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOCore
import ServerTrust
import ServerTrustNIO

/// One report on its way to one server.
struct PinReportPost: Sendable {
    let url: HTTPURL
    let content: ByteBuffer
    let configuration: PinReportPoster.Configuration
    let session: HTTPSession
    let deadline: NIODeadline

    /// RFC 7469 §3 has "a JSON message" posted and names no media type; this is JSON's (RFC 8259 §11).
    private static let mediaType = "application/json"

    /// Sends the report, and a second time if it seems worth it.
    func run() async -> PinReportPoster.Outcome {
        let outcome = await self.attempt()
        guard case .failed(let failure) = outcome, failure.mayPass, let delay = self.configuration.retryDelay,
            NIODeadline.now() + TimeAmount(bounding: delay) < self.deadline
        else { return outcome }
        do {
            try await Task.sleep(for: delay)
        } catch {
            return .failed(PinReportPoster.Failure(ResourceError(.cancelled, "it was cancelled")))
        }
        return await self.attempt()
    }

    private func attempt() async -> PinReportPoster.Outcome {
        do {
            // The content is dropped unread, and takes its connection along.
            let status = try await self.session.bytes(for: self.request).0.status
            return (200...299).contains(status) ? .accepted(status: status) : .refused(status: status)
        } catch {
            return .failed(PinReportPoster.Failure(error, at: self.url, isOver: NIODeadline.now() >= self.deadline))
        }
    }

    private var request: HTTPSessionRequest {
        var request = HTTPSessionRequest(self.url, method: .post)
        request.fields[.contentType] = Self.mediaType
        request.fields[.connection] = "close"
        request.omittedFields = [.expect]
        request.body = .octets(self.content)
        request.redirects = .none
        request.timeout = Duration(self.deadline - .now())
        return request
    }
}
