//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The state of an incomplete download, which identifies the content that the rest must belong to.
///
/// It is stored in a file with the suffix `.resume` that only its owner can access, because URLs may contain secrets.
public struct HTTPDownloadState: Sendable, Hashable {
    /// A validator that distinguishes versions of the content (RFC 9110 §8.8).
    public enum Validator: Sendable, Hashable {
        /// A strong entity tag with its quotation marks.
        case entityTag(String)
        /// The modification date, if it is at least one second before the date of the response.
        case lastModified(String)

        /// The value of the If-Range field (RFC 9110 §13.1.5).
        var text: String {
            switch self {
            case .entityTag(let text), .lastModified(let text): text
            }
        }
    }

    /// The URL of the request, without a user name and password.
    public let url: String
    /// The validator of the content.
    public let validator: Validator
    /// The total number of octets, or `nil` if the server did not state it.
    public let size: Int?

    init(url: String, validator: Validator, size: Int?) {
        self.url = url
        self.validator = validator
        self.size = size
    }

    // MARK: The file

    private struct Document: Codable {
        var format = Self.current
        let url: String
        var entityTag: String?
        var lastModified: String?
        let size: Int?

        static let current = "servertrust.download/1"
    }

    private static let maximumSize = 1 << 20

    /// Reads the state of a download, or returns `nil` if it does not exist or cannot be read. The download then starts again.
    ///
    /// - Parameter path: The path of the downloaded file, without the suffix of the state.
    public init?(besides path: String) {
        guard let octets = try? BoundedFile.read(Self.path(besides: path), maximumSize: Self.maximumSize),
            let document = try? JSONDecoder().decode(Document.self, from: Data(octets)),
            document.format == Document.current, document.size.map({ $0 >= 0 }) ?? true
        else { return nil }
        switch (document.entityTag, document.lastModified) {
        case (let tag?, nil) where Validator.isStrong(tag): self.validator = .entityTag(tag)
        case (nil, let date?) where CookieDate.timestamp(Array(date.utf8)) != nil && Validator.isText(date):
            self.validator = .lastModified(date)
        default: return nil
        }
        self.url = document.url
        self.size = document.size
    }

    static func path(besides path: String) -> String { "\(path).resume" }

    func write(besides path: String) throws {
        var document = Document(url: self.url, size: self.size)
        switch self.validator {
        case .entityTag(let text): document.entityTag = text
        case .lastModified(let text): document.lastModified = text
        }
        try ExclusiveFile.replace(Self.path(besides: path), with: Array(try JSONEncoder().encode(document)))
    }
}

extension HTTPDownloadState.Validator {
    /// Creates the strong validator of a response, or returns `nil` if it has none.
    ///
    /// A weak tag is also kept for equivalent content, and a date does not distinguish changes within one second.
    init?(_ fields: HTTPFields) {
        if let tag = fields[.eTag] {
            guard Self.isStrong(tag) else { return nil }
            self = .entityTag(tag)
            return
        }
        // A date is strong if the server's clock has advanced since then (RFC 9110 §8.8.2.2).
        guard let text = fields[.lastModified], let changed = CookieDate.timestamp(Array(text.utf8)), Self.isText(text),
            let sent = fields[.date].flatMap({ CookieDate.timestamp(Array($0.utf8)) }),
            sent.secondsSinceEpoch - changed.secondsSinceEpoch >= 1
        else { return nil }
        self = .lastModified(text)
    }

    /// Returns `true` for a quoted tag without `W/` (RFC 9110 §8.8.3).
    static func isStrong(_ tag: String) -> Bool {
        let octets = Array(tag.utf8)
        return octets.count >= 2 && octets.first == UInt8(ascii: "\"") && octets.last == UInt8(ascii: "\"")
            && octets.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
    }

    static func isText(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }

    /// Returns `true` if the fields of another response do not contradict the validator.
    func fits(_ fields: HTTPFields) -> Bool {
        switch self {
        case .entityTag(let tag): fields[.eTag].map { $0 == tag } ?? true
        case .lastModified(let date): fields[.lastModified].map { $0 == date } ?? true
        }
    }
}
