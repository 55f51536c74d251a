//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPTypes

/// A download that has come to its end.
public struct HTTPDownload: Sendable {
    /// The response that brought the end of the file.
    public let response: HTTPSessionResponse
    /// The octets of the file.
    public let size: Int
    /// How many of them were there from an earlier download.
    public let resumedFrom: Int
}

/// How far a download is.
public struct HTTPDownloadProgress: Sendable, Hashable {
    /// The octets that are there.
    public let received: Int
    /// The octets of the whole; `nil` where the server does not say.
    public let total: Int?
}

extension HTTPSession {
    /// Gets a resource into a file, and goes on where an earlier download of it ended.
    ///
    /// Until it is whole, the content is in a file beside, whose name has `.part` behind it, and an ``HTTPDownloadState`` beside that
    /// says which content it is. Call this again after an error, and the server is asked for the rest (RFC 9110 §14): by a strong
    /// entity tag or a date of the last change, so that parts of two contents are never put together. Where the server gives no
    /// such thing, or has another content by now, the download begins again. What stood in the file before stays until then.
    ///
    /// Content is kept as the server sends it: compressed content is not asked for.
    ///
    /// - Parameters:
    ///   - request: A request with method GET, and without content, `Range` and `If-Range`.
    ///   - path: The file, which is replaced.
    ///   - progress: Hears how far it is, after each piece.
    /// - Returns: What came of it.
    /// - Throws: ``HTTPSessionError``, also for a status that is no success, and where another download writes to the same file.
    public func download(
        for request: HTTPSessionRequest, to path: String,
        progress: (@Sendable (HTTPDownloadProgress) -> Void)? = nil
    ) async throws(HTTPSessionError) -> HTTPDownload {
        guard request.method == .get, !request.body.isPresent, !request.fields.contains(.range),
            !request.fields.contains(.ifRange)
        else {
            throw HTTPSessionError(
                .requestBody, .badURL, url: request.url,
                reason: "A download is a GET without content, Range and If-Range.", remedy: "Leave them out.")
        }
        do {
            var run = DownloadRun(self, request, file: try DownloadFile(path), progress: progress)
            defer { run.close() }
            return try await run.run()
        } catch let error as HTTPSessionError {
            throw error
        } catch {
            throw HTTPSessionError(
                .file, .cannotWriteToFile, url: request.url, reason: "'\(path)' cannot be written: \(error)".asSentence,
                remedy: "Check its folder, the free space, and other programs that write to it.", cause: error)
        }
    }
}
