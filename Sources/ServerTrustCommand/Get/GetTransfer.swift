//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import HTTPSession
import HTTPTypes
import NIOCore
import ServerTrust
import ServerTrustNIO
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The transfer of one URL, from its request to the content in a file.
struct GetTransfer {
    private let command: GetCommand
    private let session: HTTPSession
    private let input: GetRequestInput
    private let text: String
    private let file: String?
    /// The file to send, or `nil` if there is none.
    private let uploadedFile: String?

    init(_ command: GetCommand, _ session: HTTPSession, input: GetRequestInput, url: String, position: Int) {
        self.command = command
        self.session = session
        self.input = input
        self.text = url
        self.file = command.output.files.dropFirst(position).first
        // As with curl, an empty name means that no file is sent to the URL.
        self.uploadedFile = command.request.uploadedFiles.dropFirst(position).first.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Runs the transfer with its retries.
    ///
    /// - Parameter deadline: The deadline for all attempts and the pauses between them, or `nil` if there is no limit.
    func run(until deadline: NIODeadline?) async throws {
        let resumption = try self.resumption()
        var request = try await BlockingInput.read(until: deadline) { try self.request(from: resumption) }
        var pause = Duration.seconds(1)
        // A body that cannot be replayed is sent only once.
        let retryCount = request.body.isReplayable ? self.command.redirects.retryCount : 0
        for attempt in 0...retryCount {
            request.timeout = deadline.map { .nanoseconds(max(0, ($0 - .now()).nanoseconds)) }
            let isLast = attempt == retryCount
            do {
                let (response, content) = try await self.session.bytes(for: request)
                let wanted = Self.pause(response) ?? pause
                if !isLast, Self.retryStatuses.contains(response.status), Self.fits(wanted, before: deadline) {
                    await Self.drop(content)
                    try await Task.sleep(for: wanted)
                    pause *= 2
                    continue
                }
                return try await self.deliver(response, content, resumption: resumption)
            } catch let error as HTTPSessionError {
                guard !isLast, case .timeout = error.kind, Self.fits(pause, before: deadline) else { throw error }
                try await Task.sleep(for: pause)
                pause *= 2
            }
        }
    }

    private static func fits(_ pause: Duration, before deadline: NIODeadline?) -> Bool {
        deadline.map { .now() + TimeAmount(pause) < $0 } ?? true
    }

    /// Reads the rest of a small response, so that the next attempt can reuse the connection.
    private static func drop(_ content: HTTPContent) async {
        var left = 1 << 20
        while left > 0, let octets = try? await content.next() { left -= octets.readableBytes }
    }

    // MARK: The request

    private static let retryStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// The longest pause in seconds that a server can request.
    private static let maximumPause = 3_600

    /// Returns the pause of a Retry-After field, in seconds or as a date (RFC 9110 §10.2.3).
    private static func pause(_ response: HTTPSessionResponse) -> Duration? {
        guard let text = response.fields[HTTPField.Name.retryAfter] else { return nil }
        let date = CookieDate.timestamp(Array(text.utf8)).map {
            $0.secondsSinceEpoch - Timestamp(Date()).secondsSinceEpoch
        }
        return (Int(text) ?? date.map { Int($0) }).map { .seconds(min(max($0, 0), Self.maximumPause)) }
    }

    /// Returns the offset at which the transfer resumes, or `nil` to start from the beginning.
    private func resumption() throws -> Int? {
        switch self.command.request.offset {
        case nil: return nil
        case .octets(let count)?: return count
        // Without an output file there is no content to resume.
        case .outputFile?: return self.uploadedFile == nil ? file.flatMap(TransferOutput.size) ?? 0 : 0
        }
    }

    private func request(from resumption: Int?) throws -> HTTPSessionRequest {
        let options = self.command.request
        var request = HTTPSessionRequest(try self.url())
        let (set, omitted) = try self.input.fields()
        (request.fields, request.omittedFields) = (set, omitted)
        if options.userAgent?.isEmpty == true { request.omittedFields.insert(.userAgent) }
        if let range = options.range { request.fields[.range] = "bytes=\(range.contains("-") ? range : range + "-")" }
        if let cookies = self.command.cookies.text, !set.contains(.cookie) { request.fields[.cookie] = cookies }
        request.credential = try self.command.authentication.credential(at: request.url, self.input.netrc)
        request.redirects = self.command.redirects.policy(
            rulesOf: options.method == nil ? nil : options.meantMethod(sendsFile: self.uploadedFile != nil),
            setsReferer: options.setsReferer)
        try self.addContent(to: &request, from: resumption)
        if options.asksForHead { request.method = .head }
        if let method = options.method.flatMap({ HTTPRequest.Method($0) }) { request.method = method }
        return request
    }

    /// Returns the URL, with the name of the uploaded file appended if the path is empty or ends with a slash.
    private func url() throws -> HTTPURL {
        let scheme = self.command.trust.allowsPlainHTTP ? "http" : "https"
        // `http:/host` and `http:host` are malformed URLs, not hosts named "http".
        let hasScheme = ["http:", "https:"].contains {
            self.text.lowercased().hasPrefix($0) && !self.text.contains("://")
        }
        var text = self.text.contains("://") || hasScheme ? self.text : "\(scheme)://\(self.text)"
        if let file = self.uploadedFile, !TransferInput.isStandardInput(file) {
            let end = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
            let path = text[..<end]
            let afterScheme = path.firstRange(of: "://").map { path[$0.upperBound...] } ?? path
            if path.hasSuffix("/") || !afterScheme.contains("/") {
                let name = file.split { "/\\".contains($0) }.last.map(String.init) ?? ""
                text = path + (path.hasSuffix("/") ? "" : "/") + Self.escaped(name) + text[end...]
            }
        }
        return try HTTPURL(text)
    }

    private static func escaped(_ name: String) -> String {
        name.utf8.reduce(into: "") { text, octet in
            let character = Character(UnicodeScalar(octet))
            let isPlain = octet < 0x80 && (character.isLetter || character.isNumber || "-._~".contains(character))
            text +=
                isPlain ? String(character) : "%" + (octet < 16 ? "0" : "") + String(octet, radix: 16, uppercase: true)
        }
    }

    private func addContent(to request: inout HTTPSessionRequest, from resumption: Int?) throws {
        if let file = self.uploadedFile {
            request.method = .put
            let given = request.fields[.contentLength].flatMap { Int($0) }
            let (body, size) = try TransferInput.body(file, from: resumption ?? 0, length: given)
            request.body = body
            if let resumption, resumption > 0, let size {
                guard resumption < size else { throw CommandError("'\(file)' has nothing behind byte \(resumption)") }
                request.fields[.contentRange] = "bytes \(resumption)-\(size - 1)/\(size)"
            }
        } else if let form = self.input.form {
            request.method = .post
            request.body = .octets(form)
            if !request.fields.contains(.contentType), !request.omittedFields.contains(.contentType) {
                request.fields[.contentType] = "application/x-www-form-urlencoded"
            }
        } else if let resumption, resumption > 0 {
            request.fields[.range] = "bytes=\(resumption)-"
        }
    }

    // MARK: The response

    private func deliver(_ response: HTTPSessionResponse, _ content: HTTPContent, resumption: Int?) async throws {
        let isDownload = self.uploadedFile == nil
        let offset = isDownload ? resumption ?? 0 : 0
        let rest = try offset > 0 ? RangeResponse(response, behind: offset) : nil
        if offset > 0, rest == nil { return }
        try self.check(response)
        var output = try TransferOutput(self.file, appends: offset > 0, standardOutput: Console.write)
        defer { output.close() }
        if self.command.output.includesHead || self.command.request.asksForHead { try output.write(response.head) }
        let received = try await self.write(content, of: response, to: &output, rest: rest, from: offset)
        try output.finish()
        try rest?.check(received: self.countsContent(of: response) ? received : nil)
        if self.command.output.failsBehindErrors, response.status >= 400 { throw Self.refusal(response) }
    }

    /// Refuses responses by their status or announced length before the content is read.
    private func check(_ response: HTTPSessionResponse) throws {
        if self.command.output.failsOnErrors, response.status >= 400 { throw Self.refusal(response) }
        guard let announced = response.fields[.contentLength].flatMap({ Int($0) }), announced > self.maximumSize,
            !self.asksForHead, ![204, 304].contains(response.status)
        else { return }
        throw self.tooLarge(response)
    }

    /// Writes the content of a response.
    ///
    /// - Returns: The number of bytes written.
    private func write(
        _ content: HTTPContent, of response: HTTPSessionResponse, to output: inout TransferOutput, rest: RangeResponse?,
        from offset: Int
    ) async throws -> Int {
        var received = 0
        var progress = self.progress(response, from: offset)
        defer { progress?.end() }
        // No content follows a response to HEAD, even if --request sets another method.
        while !self.command.request.asksForHead, let octets = try await content.next() {
            received += octets.readableBytes
            guard received <= self.maximumSize else { throw self.tooLarge(response) }
            if self.countsContent(of: response) { try rest?.checkStart(received: received) }
            try output.write(Array(octets.readableBytesView))
            progress?.add(octets.readableBytes)
        }
        return received
    }

    private var asksForHead: Bool {
        self.command.request.asksForHead || self.command.request.method == "HEAD"
    }

    /// Returns `true` if the received bytes are those that the server counts.
    private func countsContent(of response: HTTPSessionResponse) -> Bool {
        !self.asksForHead && !(self.command.request.isCompressed && response.fields.contains(.contentEncoding))
    }

    private static func refusal(_ response: HTTPSessionResponse) -> CommandError {
        CommandError("\(response.url): the server answers with status \(response.status)")
    }

    /// Returns a progress display for a download into a file, or `nil` if there is no terminal to show it.
    private func progress(_ response: HTTPSessionResponse, from offset: Int) -> TransferProgress? {
        let output = self.command.output
        guard let file, file != "-", !output.isSilent, !output.isVerbose, Console.isErrorTerminal else { return nil }
        // The decompressed content has another length than the server announced.
        let isEncoded = response.fields.contains(.contentEncoding) && self.command.request.isCompressed
        let announced = isEncoded ? nil : response.fields[.contentLength].flatMap { Int($0) }
        return TransferProgress(from: offset, announced: announced, write: Console.say)
    }

    /// The size limit. As with curl, 0 means no limit.
    private var maximumSize: Int { self.command.output.maximumSize.flatMap { $0 > 0 ? $0 : nil } ?? .max }

    private func tooLarge(_ response: HTTPSessionResponse) -> CommandError {
        CommandError("\(response.url): the response has more bytes than --max-filesize allows")
    }
}
