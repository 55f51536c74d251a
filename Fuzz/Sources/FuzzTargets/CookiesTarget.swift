//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import HTTPTypes
import ServerTrust

@testable import HTTPSession

/// `Set-Cookie` fields, a line each behind an octet that chooses the request; the whole is read as a file of cookies too.
///
/// A field is divided as a second, naive reader divides it; a jar keeps its limits and the promises of names; a request gets
/// what a naive look at each cookie says, and nothing else; a file that is written is read as the same.
enum CookiesTarget {
    private static let now = Timestamp(secondsSinceEpoch: 1_777_593_600)
    private static let suffixes = PublicSuffixList(
        parsing: Array("com\nuk\nco.uk\n*.ck\n!www.ck\n".utf8), sections: .all)
    private static let origins = [
        ("https", "www.example.com", "/a/b"), ("http", "www.example.com", "/a/b"), ("https", "example.com", "/"),
        ("http", "127.0.0.1", "/a"), ("https", "10.0.0.1", "/a/"), ("http", "localhost", ""), ("https", "co.uk", "/x"),
        ("http", "a.example.co.uk", "/x?y"),
    ]

    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        let origins = self.origins.compactMap { scheme, host, path in
            (try? Host(host)).map { CookieOrigin(scheme: scheme, host: $0, path: path) }
        }
        var jar = CookieJar(publicSuffixes: self.suffixes)
        jar.limits.perDomain = 8
        jar.limits.total = 16
        for line in bytes.split(separator: 0x0A) {
            guard let choice = line.first else { continue }
            let field = Array(line.dropFirst())
            let origin = origins[Int(choice) % origins.count]
            let refusal = jar.store(setCookie: field, from: origin, at: self.now)
            self.checkField(field, refusal, &findings)
        }
        self.checkJar(&jar, origins, &findings)
        self.checkFile(jar, &findings)
        var other = CookieJar(publicSuffixes: self.suffixes)
        _ = NetscapeCookieText.read(bytes, into: &other, at: self.now, fieldsFrom: origins.first)
        self.checkJar(&other, origins, &findings)
        self.checkFile(other, &findings)
    }

    /// Each octet as a character, so that Foundation divides what need not be UTF-8.
    private static func checkField(_ field: [UInt8], _ refusal: CookieRefusal?, _ findings: inout Findings) {
        let text = String(String.UnicodeScalarView(field.map { Unicode.Scalar($0) }))
        let pair = (text.components(separatedBy: ";").first ?? "").unicodeScalars
        let blanks = CharacterSet(charactersIn: " \t")
        let equals = pair.firstIndex(of: "=")
        let name = equals.map { String(pair[..<$0]).trimmingCharacters(in: blanks) } ?? ""
        let hasControl = text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F }
        if hasControl { findings.expect(refusal != nil, "a control is taken") }
        if name.isEmpty { findings.expect(refusal != nil, "a cookie without a name is taken") }
        guard refusal == nil else { return }
        findings.expect(
            (try? SetCookie(field, acceptsNameless: false))?.name == name.unicodeScalars.map { UInt8($0.value) },
            "another name")
    }

    private static func checkJar(_ jar: inout CookieJar, _ origins: [CookieOrigin], _ findings: inout Findings) {
        findings.expect(jar.count <= jar.limits.total, "a jar holds too many cookies")
        findings.expect(jar.count == jar.cookies.count, "a jar is counted wrong")
        for cookie in jar.cookies {
            findings.expect(cookie.name.count + cookie.value.count <= 4_096, "a large cookie")
            findings.expect(cookie.path.hasPrefix("/"), "a path without a slash")
            let name = String(decoding: cookie.name, as: UTF8.self).lowercased()
            if name.hasPrefix("__secure-") || name.hasPrefix("__host-") {
                findings.expect(cookie.isSecure, "a broken promise")
            }
            if name.hasPrefix("__host-") {
                findings.expect(cookie.isHostOnly && cookie.path == "/", "a broken promise")
            }
            guard !cookie.isHostOnly else { continue }
            findings.expect(!self.suffixes.isPublicSuffix(cookie.domain), "a cookie for a public suffix")
        }
        for origin in origins {
            let expected = jar.cookies.filter { self.isFor(origin, $0) }
            let sent = jar.field(for: origin, at: self.now)?.withUnsafeBytesOfValue { Array($0) } ?? []
            findings.expect(sent.count <= 8_190, "a long field")
            let octets = expected.reduce(0) { $0 + $1.name.count + $1.value.count + 3 }
            guard octets < 8_000 else { continue }
            findings.expect(sent.count == max(0, octets - 2), "other cookies are sent")
        }
    }

    private static func isFor(_ origin: CookieOrigin, _ cookie: Cookie) -> Bool {
        let (host, path) = (origin.host.text, origin.path.isEmpty ? "/" : origin.path)
        let isDomain = host == cookie.domain || !cookie.isHostOnly && host.hasSuffix("." + cookie.domain)
        let folder = cookie.path.hasSuffix("/") ? cookie.path : cookie.path + "/"
        let isPath = Array(path.utf8) == Array(cookie.path.utf8) || Array(path.utf8).starts(with: folder.utf8)
        return isDomain && isPath && (origin.isSecure || !cookie.isSecure)
    }

    private static func checkFile(_ jar: CookieJar, _ findings: inout Findings) {
        let text = NetscapeCookieText.write(jar, at: self.now)
        var again = CookieJar(publicSuffixes: self.suffixes)
        findings.expect(NetscapeCookieText.read(text, into: &again, at: self.now).isEmpty, "a written line is damaged")
        findings.expect(NetscapeCookieText.write(again, at: self.now) == text, "a file is read as another")
    }

    static func seeds() -> [[UInt8]] {
        [
            "0a=b; Path=/; Domain=example.com; Secure; HttpOnly; SameSite=Lax\n1a=c; Path=/\n0__Host-x=y; Secure; Path=/",
            "0a=b; Expires=Tue, 01 Jan 2030 10:20:30 GMT\n0a=; Max-Age=0\n0c=d; Max-Age=99999999999999999999",
            "6a=b; Domain=co.uk\n7a=b; Domain=uk\n7c=d; Domain=.example.co.uk\n3e=f; Domain=127.0.0.1; Secure",
            "0  A  = BC  ;foo;;;   bar\n0=x\n0x\n0\"a=b\"=c\n0a=b\tc\n0a=b\u{1}", "5a=b; Path=\"/x\"; Path=y; Path",
            ".example.com\tTRUE\t/\tFALSE\t1893456000\tname\tvalue\n#HttpOnly_127.0.0.1\tFALSE\t/a\tTRUE\t0\ta\t",
            "# Netscape HTTP Cookie File\n\nexample.com\tFALSE\t/\tFALSE\t0\t__Host-a\tb\nSet-Cookie: a=b; Path=/x\r\n",
        ].map { Array($0.utf8) }
    }
}
