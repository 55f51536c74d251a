//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOCore
import ServerTrust
import ServerTrustNIO

/// The delivery of one report to one server.
struct PinReportPost: Sendable {
    let url: HTTPURL
    let content: ByteBuffer
    let configuration: PinReportPoster.Configuration
    let session: HTTPSession
    let deadline: NIODeadline

    /// The media type of JSON (RFC 8259 §11). RFC 7469 §3 requires a JSON message but names no media type.
    private static let mediaType = "application/json"

    /// Sends the report, and sends it again if the failure may be temporary.
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
            // The content is not read, and its connection is closed.
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
