//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import NIOCore

extension HTTPSession {
    /// Sends content and collects the content of the response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The content to send.
    ///   - progress: A closure that receives the progress after each piece.
    /// - Returns: The response of any status, and its content.
    /// - Throws: ``HTTPSessionError`` if there is no complete response.
    public func upload(
        for request: HTTPSessionRequest, from body: HTTPRequestBody,
        progress: (@Sendable (HTTPUploadProgress) -> Void)? = nil
    ) async throws(HTTPSessionError) -> (HTTPSessionResponse, ByteBuffer) {
        var request = request
        (request.body, request.progress) = (body, progress)
        return try await self.data(for: request)
    }
}
