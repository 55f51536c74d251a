//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// The contents of a `Set-Cookie` field before they are compared with the request (RFC 6265bis §5.6).
struct SetCookie: Sendable {
    var name: [UInt8]
    var value: [UInt8]
    /// The domain as it is written, without a leading dot, or `nil` if it is absent.
    var domain: [UInt8]?
    /// The path, or `nil` to use the default path of the request.
    var path: [UInt8]?
    /// `true` if there is a `Path` attribute, even without a valid path.
    var hasPath = false
    var expires: Timestamp?
    /// The value of `Max-Age` in seconds, or `nil` if it is absent.
    var maximumAge: Int64?
    var isSecure = false
    var isHTTPOnly = false
    var sameSite: Cookie.SameSite?

    /// The maximum size of an attribute's value in octets (RFC 6265bis §5.6).
    private static let maximumAttribute = 1_024

    /// Reads a field.
    ///
    /// - Parameters:
    ///   - field: The octets of the field value.
    ///   - acceptsNameless: `true` if a cookie may have no name.
    /// - Throws: ``CookieRefusal`` if the field sets no cookie.
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

    /// Returns the trimmed text before and after the first equals sign. Without one, a cookie has no name and an
    /// attribute no value.
    private static func pair(
        _ text: ArraySlice<UInt8>, isCookie: Bool
    ) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
        guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else {
            return isCookie ? ([], Self.trimmed(text)) : (Self.trimmed(text), [])
        }
        return (Self.trimmed(text[..<equals]), Self.trimmed(text[(equals + 1)...]))
    }

    static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let rest = text.drop(while: isBlank)
        return rest.lastIndex { !isBlank($0) }.map { rest[...$0] } ?? []
    }

    /// Stores an attribute. Of several attributes with one name the last counts, and invalid ones are ignored.
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

    /// Stores the domain. An empty one is ignored, as in curl, RFC 6265 §5.2.3 and the tests of its authors.
    private mutating func setDomain(_ value: ArraySlice<UInt8>) {
        guard !value.isEmpty else { return }
        self.domain = Array(value.first == UInt8(ascii: ".") ? value.dropFirst() : value)
    }

    private mutating func setPath(_ value: ArraySlice<UInt8>) {
        self.hasPath = true
        self.path = Self.path(value)
    }

    /// Returns the path to store, or `nil` if the value is not a path.
    static func path(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        // Some servers write quotation marks, which curl removes. All trailing ones are removed, so that a path that is written to
        // a file and read again stays the same.
        var path = value.first == UInt8(ascii: "\"") ? value.dropFirst() : value
        while path.last == UInt8(ascii: "\"") { path = path.dropLast() }
        return path.first == UInt8(ascii: "/") ? Array(path) : nil
    }

    /// Returns the number of seconds, or `nil` if the value is not a number. A value that is too large becomes the largest number.
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
