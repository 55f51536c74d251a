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

/// Which content a download began with that has not come to its end: what the rest must belong to.
///
/// It is kept beside the file, under the file's name with `.resume` behind it, readable for the file's owner alone: URLs may have
/// secrets in them.
public struct HTTPDownloadState: Sendable, Hashable {
    /// What tells one content of a URL from another (RFC 9110 §8.8).
    public enum Validator: Sendable, Hashable {
        /// A strong entity tag, with its quotes.
        case entityTag(String)
        /// When the content was changed last, by a server whose clock has moved on since.
        case lastModified(String)

        /// The value of If-Range (RFC 9110 §13.1.5).
        var text: String {
            switch self {
            case .entityTag(let text), .lastModified(let text): text
            }
        }
    }

    /// The URL that was asked for, without who asks.
    public let url: String
    /// What tells its content from another.
    public let validator: Validator
    /// The octets of the whole; `nil` where the server did not say.
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

    /// The state beside a file; `nil` without one, and where it cannot be read: a download begins again then.
    ///
    /// - Parameter path: The file of the download.
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
    /// What a response can be told by from another content of the URL; `nil` where nothing is certain: a weak tag is for content
    /// that is as good, and a date for all of its second.
    init?(_ fields: HTTPFields) {
        if let tag = fields[.eTag] {
            guard Self.isStrong(tag) else { return nil }
            self = .entityTag(tag)
            return
        }
        // Strong where the server's clock had moved on (RFC 9110 §8.8.2.2).
        guard let text = fields[.lastModified], let changed = CookieDate.timestamp(Array(text.utf8)), Self.isText(text),
            let sent = fields[.date].flatMap({ CookieDate.timestamp(Array($0.utf8)) }),
            sent.secondsSinceEpoch - changed.secondsSinceEpoch >= 1
        else { return nil }
        self = .lastModified(text)
    }

    /// `"` … `"` without `W/` (RFC 9110 §8.8.3).
    static func isStrong(_ tag: String) -> Bool {
        let octets = Array(tag.utf8)
        return octets.count >= 2 && octets.first == UInt8(ascii: "\"") && octets.last == UInt8(ascii: "\"")
            && octets.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
    }

    static func isText(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }

    /// Whether the fields of another response are of the same content, as far as they say.
    func fits(_ fields: HTTPFields) -> Bool {
        switch self {
        case .entityTag(let tag): fields[.eTag].map { $0 == tag } ?? true
        case .lastModified(let date): fields[.lastModified].map { $0 == date } ?? true
        }
    }
}
