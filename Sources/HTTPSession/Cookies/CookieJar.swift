//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath
public import HTTPTypes
public import ServerTrust

/// The cookies of a client: what servers set is kept, and sent where it belongs (RFC 6265bis). A value without files, sockets
/// and a clock, for any client.
///
/// ```swift
/// var jar = CookieJar()
/// let origin = CookieOrigin(scheme: "https", host: try Host("www.example.com"), path: "/basket")
/// jar.store(response.headerFields, from: origin, at: now)
/// request.headerFields[.cookie] = jar.header(for: origin, at: now)
/// ```
public struct CookieJar: Sendable {
    /// How much is held and sent.
    public var limits = CookieLimits()
    /// Whether cookies without a name are kept, as RFC 6265bis has it. RFC 6265 and curl refuse them, and so does a jar as long
    /// as nothing else is said: servers take `__Host-name=value` without a name for a cookie of that name.
    public var acceptsNamelessCookies = false

    private let publicSuffixes: PublicSuffixList
    private var store = CookieStore()

    /// An empty jar.
    ///
    /// - Parameter publicSuffixes: The domains for which no cookie is set.
    public init(publicSuffixes: PublicSuffixList = PublicSuffixFile.system(.all)) {
        self.publicSuffixes = publicSuffixes
    }

    /// The cookies in the order in which they were first set, those that have ended included.
    public var cookies: [Cookie] { self.store.all }

    /// The number of cookies, those that have ended included.
    public var count: Int { self.store.count }

    // MARK: Setting

    /// Keeps the cookies that a response sets.
    ///
    /// - Parameters:
    ///   - fields: The header fields of the response, of which `Set-Cookie` is read.
    ///   - origin: The request that it answers.
    ///   - time: The present.
    /// - Returns: The fields that set no cookie, and why.
    @discardableResult
    public mutating func store(
        _ fields: HTTPFields, from origin: CookieOrigin, at time: Timestamp
    ) -> [CookieRefusal] {
        var refusals: [CookieRefusal] = []
        for (index, field) in fields[fields: .setCookie].enumerated() {
            guard index < self.limits.perResponse else { return refusals + [CookieRefusal(.tooMany)] }
            // As much as a cookie with all its attributes may have.
            let octets = field.withUnsafeBytesOfValue { Array($0.prefix(Self.maximumField + 1)) }
            if let refusal = self.store(setCookie: octets, from: origin, at: time) { refusals.append(refusal) }
        }
        return refusals
    }

    /// Keeps the cookie of one `Set-Cookie` field.
    ///
    /// - Parameters:
    ///   - field: The octets of the value of the field.
    ///   - origin: The request that is answered.
    ///   - time: The present.
    /// - Returns: Why it sets no cookie; `nil` when it does.
    @discardableResult
    public mutating func store(
        setCookie field: [UInt8], from origin: CookieOrigin, at time: Timestamp
    ) -> CookieRefusal? {
        guard field.count <= Self.maximumField else { return CookieRefusal(.tooLarge) }
        do {
            let line = try SetCookie(field, acceptsNameless: self.acceptsNamelessCookies)
            let cookie = try self.cookie(line, from: origin, at: time)
            self.store.set(cookie, at: time, limits: self.limits)
            return nil
        } catch {
            return error
        }
    }

    /// Adds a cookie that was read from a file.
    ///
    /// - Returns: Why it is not kept; `nil` when it is.
    mutating func add(_ cookie: Cookie, at time: Timestamp) -> CookieRefusal? {
        guard !cookie.name.isEmpty || self.acceptsNamelessCookies else { return CookieRefusal(.missingName) }
        guard cookie.isHostOnly || !self.publicSuffixes.isPublicSuffix(cookie.domain) else {
            return CookieRefusal(.publicSuffix, name: cookie.name)
        }
        guard CookiePrefix.isKept(by: cookie, hasPath: true) else { return CookieRefusal(.prefix, name: cookie.name) }
        self.store.set(cookie, at: time, limits: self.limits)
        return nil
    }

    private static let maximumField = 16_384

    /// The storage model (RFC 6265bis §5.7).
    private func cookie(
        _ line: SetCookie, from origin: CookieOrigin, at time: Timestamp
    ) throws(CookieRefusal) -> Cookie {
        let (domain, isHostOnly) = try self.domain(line, from: origin)
        let cookie = Cookie(
            name: line.name, value: line.value, domain: domain, isHostOnly: isHostOnly,
            path: line.path.map { String(decoding: $0, as: UTF8.self) } ?? origin.defaultPath, isSecure: line.isSecure,
            isHTTPOnly: line.isHTTPOnly, sameSite: line.sameSite, expires: self.end(of: line, at: time))
        guard !cookie.isSecure || origin.isSecure else { throw CookieRefusal(.secureWithoutTLS, name: line.name) }
        guard cookie.isSecure || origin.isSecure || !self.store.hasSecureCookie(like: cookie) else {
            throw CookieRefusal(.overlaysSecure, name: line.name)
        }
        guard cookie.isSecure || cookie.sameSite != Cookie.SameSite.none else {
            throw CookieRefusal(.crossSiteWithoutSecure, name: line.name)
        }
        guard CookiePrefix.isKept(by: cookie, hasPath: line.hasPath) else {
            throw CookieRefusal(.prefix, name: line.name)
        }
        return cookie
    }

    private func domain(
        _ line: SetCookie, from origin: CookieOrigin
    ) throws(CookieRefusal) -> (domain: String, isHostOnly: Bool) {
        guard let written = line.domain else { return (origin.host.text, true) }
        // A dot at the end is part of what is compared.
        guard let text = String(validating: written, as: UTF8.self), written.last != UInt8(ascii: "."),
            let domain = try? Host(text)
        else { throw CookieRefusal(.foreignDomain, name: line.name) }
        if self.isPublicSuffix(domain) {
            guard domain == origin.host else { throw CookieRefusal(.publicSuffix, name: line.name) }
            return (domain.text, true)
        }
        guard origin.domainMatches(domain.text) else { throw CookieRefusal(.foreignDomain, name: line.name) }
        return (domain.text, domain.isAddress)
    }

    private func isPublicSuffix(_ domain: Host) -> Bool {
        !domain.isAddress && self.publicSuffixes.isPublicSuffix(domain.text)
    }

    /// When a cookie ends: by `Max-Age`, else by `Expires` (RFC 6265bis §5.7, step 6).
    private func end(of line: SetCookie, at time: Timestamp) -> Timestamp? {
        let now = time.secondsSinceEpoch
        var end = line.expires?.secondsSinceEpoch
        if let age = line.maximumAge { end = age <= 0 ? Int64.min : Self.sum(now, age) }
        guard let end else { return nil }
        return Timestamp(secondsSinceEpoch: self.capped(end, now: now))
    }

    private func capped(_ end: Int64, now: Int64) -> Int64 {
        guard let age = self.limits.maximumAge?.components.seconds else { return end }
        let latest = Self.sum(now, age)
        guard end > latest else { return end }
        // To the minute, as curl has it, so that the files of two programs agree.
        let rounded = Self.sum(latest, 30)
        return rounded - rounded % 60
    }

    private static func sum(_ time: Int64, _ seconds: Int64) -> Int64 {
        let (sum, overflow) = time.addingReportingOverflow(seconds)
        return overflow ? Int64.max : sum
    }

    // MARK: Sending

    /// The `Cookie` field of a request (RFC 6265bis §5.8.3).
    ///
    /// - Parameters:
    ///   - origin: The request.
    ///   - time: The present.
    /// - Returns: The value of the field; `nil` without cookies. Octets of a server that are not UTF-8 are kept in
    ///   ``field(for:at:)`` alone.
    public mutating func header(for origin: CookieOrigin, at time: Timestamp) -> String? {
        self.octets(for: origin, at: time).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The `Cookie` field of a request, with the very octets that servers sent.
    ///
    /// - Parameters:
    ///   - origin: The request.
    ///   - time: The present.
    /// - Returns: The field; `nil` without cookies.
    public mutating func field(for origin: CookieOrigin, at time: Timestamp) -> HTTPField? {
        self.octets(for: origin, at: time).map { HTTPField(name: .cookie, value: $0) }
    }

    private mutating func octets(for origin: CookieOrigin, at time: Timestamp) -> [UInt8]? {
        var octets: [UInt8] = []
        for cookie in self.store.cookies(for: origin, at: time).prefix(max(0, self.limits.perRequest)) {
            // Counted as curl does. What comes later matters less: its path is shorter, or it is newer.
            guard "Cookie: ".utf8.count + octets.count + cookie.pair.count < self.limits.requestOctets else { break }
            if !octets.isEmpty { octets += "; ".utf8 }
            octets += cookie.pair
        }
        return octets.isEmpty ? nil : octets
    }

    // MARK: Removing

    /// Takes cookies away that have ended.
    ///
    /// - Parameter time: The present.
    public mutating func removeExpired(at time: Timestamp) { self.store.removeAll { $0.isExpired(at: time) } }

    /// Takes the cookies of a session away: those without an end.
    public mutating func removeSessionCookies() { self.store.removeAll { $0.expires == nil } }
}
