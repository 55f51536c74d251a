//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import NIOCore

extension HTTPSession {
    /// Sends content, and collects what the server answers.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The content.
    ///   - progress: Hears how far it is, after each piece.
    /// - Returns: The response, whatever its status, and its content.
    /// - Throws: ``HTTPSessionError``
    public func upload(
        for request: HTTPSessionRequest, from body: HTTPRequestBody,
        progress: (@Sendable (HTTPUploadProgress) -> Void)? = nil
    ) async throws(HTTPSessionError) -> (HTTPSessionResponse, ByteBuffer) {
        var request = request
        (request.body, request.progress) = (body, progress)
        return try await self.data(for: request)
    }
}
