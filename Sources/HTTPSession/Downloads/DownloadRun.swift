//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPTypes
import NIOCore
import ServerTrustNIO

/// A download in progress, which sends the requests and processes the responses.
struct DownloadRun {
    private let session: HTTPSession
    private let request: HTTPSessionRequest
    private var file: DownloadFile
    private let progress: (@Sendable (HTTPDownloadProgress) -> Void)?
    private var state: HTTPDownloadState?
    private let resumedFrom: Int
    private var hasBegunAgain = false

    /// The maximum number of requests. A server may send the content in several parts.
    private static let maximumRequests = 1_000

    init(
        _ session: HTTPSession, _ request: HTTPSessionRequest, file: DownloadFile,
        progress: (@Sendable (HTTPDownloadProgress) -> Void)?
    ) {
        self.session = session
        self.request = request
        self.file = file
        self.progress = progress
        self.state = file.state(for: request.url)
        self.resumedFrom = self.state == nil ? 0 : file.size
    }

    func close() { self.file.close() }

    mutating func run() async throws -> HTTPDownload {
        for _ in 0..<Self.maximumRequests {
            let (response, content) = try await self.session.open(self.nextRequest(), decodes: false)
            guard try await self.take(response, content) else { continue }
            try self.file.finish()
            return HTTPDownload(
                response: response, size: self.file.size, resumedFrom: self.hasBegunAgain ? 0 : self.resumedFrom)
        }
        throw self.error("The server sends the content in more than \(Self.maximumRequests) parts.", self.request.url)
    }

    private func nextRequest() -> HTTPSessionRequest {
        var request = self.request
        // Ranges refer to the encoded content, so that parts must be joined before anything is decoded.
        if !request.fields.contains(.acceptEncoding) { request.fields[.acceptEncoding] = "identity" }
        guard let state else { return request }
        request.fields[.range] = "bytes=\(self.file.size)-"
        request.fields[.ifRange] = state.validator.text
        return request
    }

    /// Processes a response.
    ///
    /// - Returns: `true` if the file is complete.
    private mutating func take(_ response: HTTPSessionResponse, _ content: HTTPContent) async throws -> Bool {
        switch response.status {
        case 206:
            guard case .part(let range, let total)? = ContentRange(response.fields), let state,
                range.lowerBound == self.file.size, Self.length(response) ?? range.count == range.count,
                state.validator.fits(response.fields),
                state.size == nil || total == nil || state.size == total
            else { return try self.beginAgain(response) }
            try await self.append(content, range.count, total: total ?? state.size, response.url)
            return (total ?? state.size).map { $0 == self.file.size } ?? false
        case 416:
            // The server has the same content, and the partial file is already complete.
            guard let state, state.validator.fits(response.fields),
                ContentRange(response.fields) == .unsatisfied(total: self.file.size),
                state.size == nil || state.size == self.file.size
            else { return try self.beginAgain(response) }
            return true
        case 200..<300:
            try self.begin(response)
            try await self.append(content, nil, total: self.state?.size ?? Self.length(response), response.url)
            return true
        default:
            throw self.error("The server answers with status \(response.status).", response.url)
        }
    }

    private mutating func begin(_ response: HTTPSessionResponse) throws {
        if self.state != nil { self.hasBegunAgain = true }
        self.state = HTTPDownloadState.Validator(response.fields).map {
            HTTPDownloadState(url: "\(self.request.url)", validator: $0, size: Self.length(response))
        }
        try self.file.begin(self.state)
    }

    /// Discards the partial content, which does not fit the response, so that the whole content is requested. This happens
    /// at most once.
    private mutating func beginAgain(_ response: HTTPSessionResponse) throws -> Bool {
        guard self.state != nil, !self.hasBegunAgain else {
            throw self.error("The server sends a part of the content that was not asked for.", response.url)
        }
        self.state = nil
        self.hasBegunAgain = true
        return false
    }

    /// Appends the content of a response to the file.
    ///
    /// - Parameters:
    ///   - content: The content of the response.
    ///   - count: The number of octets of a range, or `nil` for the whole content.
    ///   - total: The total number of octets, or `nil` if it is unknown.
    ///   - url: The URL of the response, for errors.
    private mutating func append(_ content: HTTPContent, _ count: Int?, total: Int?, _ url: HTTPURL) async throws {
        var left = count ?? .max
        while let octets = try await content.next() {
            left -= octets.readableBytes
            guard left >= 0 else { throw self.error("The part has more bytes than its Content-Range says.", url) }
            try self.file.append(octets)
            self.progress?(HTTPDownloadProgress(received: self.file.size, total: total))
        }
        guard count == nil || left == 0 else {
            throw self.error("The part has fewer bytes than its Content-Range says.", url)
        }
    }

    private static func length(_ response: HTTPSessionResponse) -> Int? {
        response.fields.contains(.transferEncoding) ? nil : response.fields[.contentLength].flatMap { Int($0) }
    }

    private func error(_ reason: String, _ url: HTTPURL) -> HTTPSessionError {
        HTTPSessionError(
            .response, .badServerResponse, url: url, reason: reason, remedy: "Check the URL and the server.")
    }
}
