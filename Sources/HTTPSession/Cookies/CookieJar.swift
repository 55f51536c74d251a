//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath
public import HTTPTypes
public import ServerTrust

/// A cookie jar that stores the cookies of servers and returns those for a request (RFC 6265bis).
///
/// It is a value without files, sockets and a clock, and works with any HTTP client.
///
/// ```swift
/// var jar = CookieJar()
/// let origin = CookieOrigin(scheme: "https", host: try Host("www.example.com"), path: "/basket")
/// jar.store(response.headerFields, from: origin, at: now)
/// request.headerFields[.cookie] = jar.header(for: origin, at: now)
/// ```
public struct CookieJar: Sendable {
    /// The limits on stored and sent cookies.
    public var limits = CookieLimits()
    /// `true` if cookies without a name are stored, as RFC 6265bis specifies.
    ///
    /// The default is `false`, as in RFC 6265 and curl, because servers take the nameless value `__Host-name=value` for a cookie
    /// of that name.
    public var acceptsNamelessCookies = false

    private let publicSuffixes: PublicSuffixList
    private var store = CookieStore()

    /// Creates an empty jar.
    ///
    /// - Parameter publicSuffixes: The domains for which no cookie can be set.
    public init(publicSuffixes: PublicSuffixList = PublicSuffixFile.system(.all)) {
        self.publicSuffixes = publicSuffixes
    }

    /// The cookies, including expired ones, in the order in which they were first set.
    public var cookies: [Cookie] { self.store.all }

    /// The number of cookies, including expired ones.
    public var count: Int { self.store.count }

    // MARK: Setting

    /// Stores the cookies of a response.
    ///
    /// - Parameters:
    ///   - fields: The header fields of the response, of which `Set-Cookie` is read.
    ///   - origin: The request that the response belongs to.
    ///   - time: The current time.
    /// - Returns: The cookies that were refused, with their reasons.
    @discardableResult
    public mutating func store(
        _ fields: HTTPFields, from origin: CookieOrigin, at time: Timestamp
    ) -> [CookieRefusal] {
        var refusals: [CookieRefusal] = []
        for (index, field) in fields[fields: .setCookie].enumerated() {
            guard index < self.limits.perResponse else { return refusals + [CookieRefusal(.tooMany)] }
            // The limit is sufficient for a cookie with all its attributes.
            let octets = field.withUnsafeBytesOfValue { Array($0.prefix(Self.maximumField + 1)) }
            if let refusal = self.store(setCookie: octets, from: origin, at: time) { refusals.append(refusal) }
        }
        return refusals
    }

    /// Stores the cookie of one `Set-Cookie` field.
    ///
    /// - Parameters:
    ///   - field: The octets of the field value.
    ///   - origin: The request that the response belongs to.
    ///   - time: The current time.
    /// - Returns: The reason that the cookie was refused, or `nil` if it was stored.
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
    /// - Returns: The reason that the cookie was refused, or `nil` if it was stored.
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

    /// Creates a cookie by the rules of the storage model (RFC 6265bis §5.7).
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
        // A trailing dot is part of the comparison.
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

    /// Returns the expiry of a cookie, from `Max-Age` or else from `Expires` (RFC 6265bis §5.7, step 6).
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
        // Rounded to the minute as in curl, so that the files of both programs agree.
        let rounded = Self.sum(latest, 30)
        return rounded - rounded % 60
    }

    private static func sum(_ time: Int64, _ seconds: Int64) -> Int64 {
        let (sum, overflow) = time.addingReportingOverflow(seconds)
        return overflow ? Int64.max : sum
    }

    // MARK: Sending

    /// Returns the `Cookie` field of a request (RFC 6265bis §5.8.3).
    ///
    /// - Parameters:
    ///   - origin: The request.
    ///   - time: The current time.
    /// - Returns: The field value, or `nil` if there are no cookies. Octets that are not valid UTF-8 are replaced. To keep
    ///   them, use ``field(for:at:)``.
    public mutating func header(for origin: CookieOrigin, at time: Timestamp) -> String? {
        self.octets(for: origin, at: time).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the `Cookie` field of a request with exactly the octets that servers sent.
    ///
    /// - Parameters:
    ///   - origin: The request.
    ///   - time: The current time.
    /// - Returns: The field, or `nil` if there are no cookies.
    public mutating func field(for origin: CookieOrigin, at time: Timestamp) -> HTTPField? {
        self.octets(for: origin, at: time).map { HTTPField(name: .cookie, value: $0) }
    }

    private mutating func octets(for origin: CookieOrigin, at time: Timestamp) -> [UInt8]? {
        var octets: [UInt8] = []
        for cookie in self.store.cookies(for: origin, at: time).prefix(max(0, self.limits.perRequest)) {
            // Counted as in curl. The cookies after the limit are the less important ones, with shorter paths or newer.
            guard "Cookie: ".utf8.count + octets.count + cookie.pair.count < self.limits.requestOctets else { break }
            if !octets.isEmpty { octets += "; ".utf8 }
            octets += cookie.pair
        }
        return octets.isEmpty ? nil : octets
    }

    // MARK: Removing

    /// Removes expired cookies.
    ///
    /// - Parameter time: The current time.
    public mutating func removeExpired(at time: Timestamp) { self.store.removeAll { $0.isExpired(at: time) } }

    /// Removes session cookies, which have no expiry.
    public mutating func removeSessionCookies() { self.store.removeAll { $0.expires == nil } }
}
