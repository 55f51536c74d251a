//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPTypes

/// The result of a completed download.
public struct HTTPDownload: Sendable {
    /// The response that completed the file.
    public let response: HTTPSessionResponse
    /// The size of the file in octets.
    public let size: Int
    /// The number of octets that an earlier download had already received.
    public let resumedFrom: Int
}

/// The progress of a download.
public struct HTTPDownloadProgress: Sendable, Hashable {
    /// The number of octets received so far.
    public let received: Int
    /// The total number of octets, or `nil` if the server does not state it.
    public let total: Int?
}

extension HTTPSession {
    /// Downloads a resource to a file and resumes an earlier download of it.
    ///
    /// Until it is complete, the content is in a second file with the suffix `.part`. An ``HTTPDownloadState`` with the suffix
    /// `.resume` identifies the content. Call this method again after an error to request the rest (RFC 9110 §14). A strong entity
    /// tag or a modification date in the request ensures that parts of different contents are never joined. If the server gives
    /// neither, or the content has changed, the download starts again. The previous file stays until the download is complete.
    ///
    /// The content is stored as the server sends it, and compression is not requested.
    ///
    /// - Parameters:
    ///   - request: A GET request without content, `Range` and `If-Range`.
    ///   - path: The path of the file, which is replaced.
    ///   - progress: A closure that receives the progress after each piece.
    /// - Returns: The result of the download.
    /// - Throws: ``HTTPSessionError``, also for an unsuccessful status and if another download writes to the same file.
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
