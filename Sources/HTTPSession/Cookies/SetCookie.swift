//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// What a `Set-Cookie` field says, before it is held against the request that it answers (RFC 6265bis §5.6).
struct SetCookie: Sendable {
    var name: [UInt8]
    var value: [UInt8]
    /// The domain as it is written, without a dot before it; `nil` without one.
    var domain: [UInt8]?
    /// The path; `nil` for the path of the request.
    var path: [UInt8]?
    /// Whether there is a `Path` at all.
    var hasPath = false
    var expires: Timestamp?
    /// The seconds of `Max-Age`; `nil` without it.
    var maximumAge: Int64?
    var isSecure = false
    var isHTTPOnly = false
    var sameSite: Cookie.SameSite?

    /// The most octets of the value of an attribute (RFC 6265bis §5.6).
    private static let maximumAttribute = 1_024

    /// Reads a field.
    ///
    /// - Parameters:
    ///   - field: The octets of the value of the field.
    ///   - acceptsNameless: Whether a cookie may have no name.
    /// - Throws: ``CookieRefusal``.
    init(_ field: [UInt8], acceptsNameless: Bool) throws(CookieRefusal) {
        guard !field.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
            throw CookieRefusal(.controlCharacter)
        }
        let parts = field.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        let (name, value) = Self.pair(parts.first ?? [], isCookie: true)
        self.name = Array(name)
        self.value = Array(value)
        guard !self.name.isEmpty || acceptsNameless && !self.value.isEmpty else { throw CookieRefusal(.missingName) }
        guard self.name.count + self.value.count <= Cookie.maximumOctets else {
            throw CookieRefusal(.tooLarge, name: self.name)
        }
        guard !name.contains(0x09), !value.contains(0x09) else { throw CookieRefusal(.tab, name: self.name) }
        for part in parts.dropFirst() {
            let (name, value) = Self.pair(part, isCookie: false)
            guard value.count <= Self.maximumAttribute else { continue }
            self.set(String(decoding: name, as: UTF8.self).lowercased(), value)
        }
        guard self.path?.contains(0x09) != true else { throw CookieRefusal(.tab, name: self.name) }
    }

    /// What stands before and behind the first equals sign, without blanks around it. Without one, a cookie has no name, and an
    /// attribute no value.
    private static func pair(
        _ text: ArraySlice<UInt8>, isCookie: Bool
    ) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
        guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else {
            return isCookie ? ([], Self.trimmed(text)) : (Self.trimmed(text), [])
        }
        return (Self.trimmed(text[..<equals]), Self.trimmed(text[(equals + 1)...]))
    }

    /// Octets without blanks around them, which no field keeps.
    static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let rest = text.drop(while: isBlank)
        return rest.lastIndex { !isBlank($0) }.map { rest[...$0] } ?? []
    }

    /// Of several attributes of one name the last counts, and an attribute that cannot be read is not there.
    private mutating func set(_ name: String, _ value: ArraySlice<UInt8>) {
        switch name {
        case "expires": if let date = CookieDate.timestamp(value) { self.expires = date }
        case "max-age": if let age = Self.age(value) { self.maximumAge = age }
        case "domain": self.setDomain(value)
        case "path": self.setPath(value)
        case "secure": self.isSecure = true
        case "httponly": self.isHTTPOnly = true
        case "samesite":
            let text = String(decoding: value, as: UTF8.self).lowercased()
            self.sameSite = [Cookie.SameSite.strict, .lax, .none].first { $0.rawValue.lowercased() == text }
        default: break
        }
    }

    /// An empty domain is not there, as curl, RFC 6265 §5.2.3 and its authors' tests have it.
    private mutating func setDomain(_ value: ArraySlice<UInt8>) {
        guard !value.isEmpty else { return }
        self.domain = Array(value.first == UInt8(ascii: ".") ? value.dropFirst() : value)
    }

    private mutating func setPath(_ value: ArraySlice<UInt8>) {
        self.hasPath = true
        self.path = Self.path(value)
    }

    /// A path as it is kept; `nil` for text that is no path.
    static func path(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        // Some servers write quotes, which curl takes off. At the end all are: a path that is read again stays the same.
        var path = value.first == UInt8(ascii: "\"") ? value.dropFirst() : value
        while path.last == UInt8(ascii: "\"") { path = path.dropLast() }
        return path.first == UInt8(ascii: "/") ? Array(path) : nil
    }

    /// The seconds; `nil` for text that is no number. A number beyond what is counted is as good as the largest.
    private static func age(_ value: ArraySlice<UInt8>) -> Int64? {
        let isNegative = value.first == UInt8(ascii: "-")
        let digits = isNegative ? value.dropFirst() : value
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }), !value.isEmpty else { return nil }
        guard !isNegative, let age = Int64(String(decoding: digits, as: UTF8.self)) else {
            return isNegative ? -1 : Int64.max
        }
        return age
    }
}
