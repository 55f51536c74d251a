//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath
import ServerTrust

/// The format of Netscape and curl for files of cookies: a line for each cookie with seven fields, separated by tabs
/// (https://curl.se/docs/http-cookies.html).
///
/// ```
/// .example.com<TAB>TRUE<TAB>/<TAB>TRUE<TAB>1893456000<TAB>name<TAB>value
/// #HttpOnly_www.example.com<TAB>FALSE<TAB>/account<TAB>TRUE<TAB>0<TAB>session<TAB>8d1f
/// ```
///
/// Lines that begin with `#` are comments, except those that begin with `#HttpOnly_`. An expiry of 0 stands for a session cookie.
public enum NetscapeCookieText {
    /// A problem with a line of the file.
    public struct Note: Sendable, Hashable, CustomStringConvertible {
        /// The line number, from 1.
        public let line: Int
        /// The problem without the text of the line, which may be secret.
        public let description: String
    }

    private static let httpOnlyMark = Array("#HttpOnly_".utf8)
    /// The maximum size of a line in octets, enough for the largest cookie with its domain and path.
    private static let maximumLine = 8_192
    private static let maximumNotes = 100
    private static let header = """
        # Netscape HTTP Cookie File
        # https://curl.se/docs/http-cookies.html
        # This file was written by swift-server-trust. Its cookies are secrets.


        """

    /// Reads cookies into a jar.
    ///
    /// - Parameters:
    ///   - text: The octets of the file.
    ///   - jar: The jar. Cookies of the file replace those in the jar.
    ///   - time: The current time. Expired cookies are skipped.
    ///   - origin: The request that was answered, if the file is a dump of response headers. Its `Set-Cookie` lines are then read
    ///     and other fields are skipped. Without it, `Set-Cookie` lines are reported as problems, because their server is unknown.
    /// - Returns: The problems of lines, at most 100.
    public static func read(
        _ text: [UInt8], into jar: inout CookieJar, at time: Timestamp, fieldsFrom origin: CookieOrigin? = nil
    ) -> [Note] {
        var notes: [Note] = []
        for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let line = line.last == 0x0D ? line.dropLast() : line
            guard let problem = Self.read(line, into: &jar, time: time, origin: origin) else { continue }
            if notes.count < Self.maximumNotes { notes.append(Note(line: index + 1, description: problem)) }
        }
        return notes
    }

    /// Reads a line.
    ///
    /// - Returns: The problem, or `nil` for a cookie, a comment and an empty line.
    private static func read(
        _ line: ArraySlice<UInt8>, into jar: inout CookieJar, time: Timestamp, origin: CookieOrigin?
    ) -> String? {
        guard line.count <= Self.maximumLine else { return "The line is longer than \(Self.maximumLine) octets." }
        if let origin, let (name, value) = Self.field(line) {
            guard name == "set-cookie" else { return nil }
            return jar.store(setCookie: Array(value), from: origin, at: time)?.description
        }
        let isHTTPOnly = line.starts(with: Self.httpOnlyMark)
        guard isHTTPOnly || line.first != UInt8(ascii: "#"), line.contains(where: { $0 != 0x20 && $0 != 0x09 }) else {
            return nil
        }
        let fields = line.dropFirst(isHTTPOnly ? Self.httpOnlyMark.count : 0)
            .split(separator: 0x09, omittingEmptySubsequences: false)
        guard let cookie = Self.cookie(fields, isHTTPOnly: isHTTPOnly) else {
            return
                "The line is not a cookie: it needs a domain, TRUE or FALSE, a path, TRUE or FALSE, a number, a name "
                + "and a value, with tabs between them."
        }
        // An expired cookie is not a problem of the file.
        guard !cookie.isExpired(at: time) else { return nil }
        return jar.add(cookie, at: time)?.description
    }

    /// Returns the name in lower case and the value of a header line, or `nil` if it is not one. A status line counts as a field
    /// without a name and value.
    private static func field(_ line: ArraySlice<UInt8>) -> (name: String, value: ArraySlice<UInt8>)? {
        if line.starts(with: "HTTP/".utf8) { return ("", []) }
        // A cookie line has a tab before any colon.
        guard let colon = line.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 <= 0x20 }),
            line[colon] == UInt8(ascii: ":"), colon > line.startIndex
        else { return nil }
        return (String(decoding: line[..<colon], as: UTF8.self).lowercased(), line[(colon + 1)...])
    }

    private static func cookie(_ given: [ArraySlice<UInt8>], isHTTPOnly: Bool) -> Cookie? {
        var fields = given
        // Some writers omit the path, as curl knows. The flag of TLS is then in its place.
        if fields.count > 2, Self.flag(fields[2]) != nil { fields.insert([UInt8(ascii: "/")], at: 2) }
        // Some writers omit the last tab if the value is empty.
        guard fields.count == 7 || fields.count == 6,
            let host = Self.host(fields[0]), let includesSubdomains = Self.flag(fields[1]),
            let path = SetCookie.path(fields[2]).flatMap({ String(validating: $0, as: UTF8.self) }),
            let isSecure = Self.flag(fields[3]), let end = Int64(String(decoding: fields[4], as: UTF8.self)), end >= 0
        else { return nil }
        let (name, value) = (SetCookie.trimmed(fields[5]), SetCookie.trimmed(fields.count == 7 ? fields[6] : []))
        let hasControl = [fields[2], name, value].joined().contains { $0 < 0x20 || $0 == 0x7F }
        guard !hasControl, !name.contains(where: { ";=".utf8.contains($0) }), !value.contains(UInt8(ascii: ";")),
            name.count + value.count <= Cookie.maximumOctets
        else { return nil }
        return Cookie(
            name: Array(name), value: Array(value), domain: host.text,
            isHostOnly: !includesSubdomains || host.isAddress, path: path, isSecure: isSecure, isHTTPOnly: isHTTPOnly,
            sameSite: nil, expires: end == 0 ? nil : Timestamp(secondsSinceEpoch: end))
    }

    private static func host(_ field: ArraySlice<UInt8>) -> Host? {
        let name = field.first == UInt8(ascii: ".") ? field.dropFirst() : field
        return String(validating: name, as: UTF8.self).flatMap { try? Host($0) }
    }

    private static func flag(_ field: ArraySlice<UInt8>) -> Bool? {
        switch String(decoding: field, as: UTF8.self).uppercased() {
        case "TRUE": true
        case "FALSE": false
        default: nil
        }
    }

    /// Returns the cookies of a jar as text, in the order in which they were first set.
    ///
    /// - Parameters:
    ///   - jar: The jar.
    ///   - time: The current time. Expired cookies are skipped.
    /// - Returns: The octets of the file.
    public static func write(_ jar: CookieJar, at time: Timestamp) -> [UInt8] {
        jar.cookies.filter { !$0.isExpired(at: time) }.reduce(into: Array(Self.header.utf8)) { text, cookie in
            text += Self.line(cookie)
        }
    }

    private static func line(_ cookie: Cookie) -> [UInt8] {
        let fields: [[UInt8]] = [
            (cookie.isHTTPOnly ? Self.httpOnlyMark : []) + Array((cookie.isHostOnly ? "" : ".").utf8)
                + Array(cookie.domain.utf8),
            Array((cookie.isHostOnly ? "FALSE" : "TRUE").utf8), Array(cookie.path.utf8),
            Array((cookie.isSecure ? "TRUE" : "FALSE").utf8),
            Array("\(cookie.expires?.secondsSinceEpoch ?? 0)".utf8), cookie.name, cookie.value,
        ]
        return Array(fields.joined(separator: [0x09])) + [0x0A]
    }
}
