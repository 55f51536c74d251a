//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust

/// The cookies of a jar by domain, so that a request searches only its own host and the parent domains.
struct CookieStore: Sendable {
    /// A cookie with its positions in the orders of creation and access.
    struct Entry: Sendable {
        var cookie: Cookie
        /// The order of creation. It is kept if a new value replaces the cookie (RFC 6265bis §5.7, step 23).
        let creation: UInt64
        /// The order of the last access.
        var lastAccess: UInt64
    }

    private(set) var count = 0
    private var domains: [String: [Entry]] = [:]
    private var clock: UInt64 = 0

    /// All cookies in the order in which they were first set.
    var all: [Cookie] { self.domains.values.joined().sorted { $0.creation < $1.creation }.map(\.cookie) }

    /// Returns `true` if one cookie replaces the other (RFC 6265bis §5.7, step 23).
    private static func isSame(_ one: Cookie, _ other: Cookie) -> Bool {
        one.name == other.name && one.path == other.path && one.isHostOnly == other.isHostOnly
    }

    /// Stores a cookie in place of the previous one. An expired cookie only removes the previous one.
    mutating func set(_ cookie: Cookie, at time: Timestamp, limits: CookieLimits) {
        self.clock += 1
        var entries = self.domains[cookie.domain] ?? []
        var creation = self.clock
        if let index = entries.firstIndex(where: { Self.isSame($0.cookie, cookie) }) {
            creation = entries.remove(at: index).creation
            self.count -= 1
        }
        if !cookie.isExpired(at: time) {
            entries.append(Entry(cookie: cookie, creation: creation, lastAccess: self.clock))
            self.count += 1
        }
        self.domains[cookie.domain] = entries.isEmpty ? nil : entries
        self.makeRoom(in: cookie.domain, at: time, limits: limits)
    }

    /// Returns the cookies for a request, first those with longer paths and then the older ones (RFC 6265bis §5.8.3, step 2).
    mutating func cookies(for origin: CookieOrigin, at time: Timestamp) -> [Cookie] {
        self.clock += 1
        var found: [Entry] = []
        for domain in Self.domains(of: origin.host) {
            guard var entries = self.domains[domain] else { continue }
            for index in entries.indices where Self.isSent(entries[index].cookie, to: origin, at: time) {
                entries[index].lastAccess = self.clock
                found.append(entries[index])
            }
            self.domains[domain] = entries
        }
        return found.sorted {
            ($1.cookie.path.utf8.count, $0.creation) < ($0.cookie.path.utf8.count, $1.creation)
        }.map(\.cookie)
    }

    private static func isSent(_ cookie: Cookie, to origin: CookieOrigin, at time: Timestamp) -> Bool {
        (cookie.isHostOnly ? origin.host.text == cookie.domain : origin.domainMatches(cookie.domain))
            && origin.pathMatches(cookie.path) && (!cookie.isSecure || origin.isSecure) && !cookie.isExpired(at: time)
    }

    /// Returns the host and, for names, its parent domains.
    private static func domains(of host: Host) -> [String] {
        guard !host.isAddress else { return [host.text] }
        var domains = [host.text]
        while let last = domains.last, let dot = last.utf8.firstIndex(of: UInt8(ascii: ".")) {
            domains.append(String(last[last.utf8.index(after: dot)...]))
        }
        return domains
    }

    /// Returns `true` if the cookie would hide or replace a Secure one (RFC 6265bis §5.7, step 16).
    func hasSecureCookie(like cookie: Cookie) -> Bool {
        self.domains.contains { domain, entries in
            guard Self.isRelated(domain, cookie.domain) else { return false }
            return entries.contains { entry in
                entry.cookie.isSecure && entry.cookie.name == cookie.name
                    && CookieOrigin.path(cookie.path, matches: entry.cookie.path)
            }
        }
    }

    private static func isRelated(_ one: String, _ other: String) -> Bool {
        one == other || one.hasSuffix(".\(other)") || other.hasSuffix(".\(one)")
    }

    mutating func removeAll(where isRemoved: (Cookie) -> Bool) {
        for (domain, entries) in self.domains {
            let rest = entries.filter { !isRemoved($0.cookie) }
            guard rest.count < entries.count else { continue }
            self.count -= entries.count - rest.count
            self.domains[domain] = rest.isEmpty ? nil : rest
        }
    }

    // MARK: Limits

    /// Removes cookies until the limits are met (RFC 6265bis §5.7).
    ///
    /// The order is: expired cookies, in a full domain those that are not Secure, and then the least recently used ones.
    private mutating func makeRoom(in domain: String, at time: Timestamp, limits: CookieLimits) {
        let isFull = (self.domains[domain]?.count ?? 0) > limits.perDomain
        guard isFull || self.count > limits.total else { return }
        self.removeAll { $0.isExpired(at: time) }
        while let entries = self.domains[domain], entries.count > max(0, limits.perDomain) {
            let plain = entries.indices.filter { !entries[$0].cookie.isSecure }
            let candidates = plain.isEmpty ? Array(entries.indices) : plain
            self.remove(candidates.min { entries[$0].lastAccess < entries[$1].lastAccess }, of: domain)
        }
        while self.count > max(0, limits.total), let oldest = self.leastRecentDomain() {
            let entries = self.domains[oldest] ?? []
            self.remove(entries.indices.min { entries[$0].lastAccess < entries[$1].lastAccess }, of: oldest)
        }
    }

    private func leastRecentDomain() -> String? {
        self.domains.min { one, other in
            (one.value.map(\.lastAccess).min() ?? 0) < (other.value.map(\.lastAccess).min() ?? 0)
        }?.key
    }

    private mutating func remove(_ index: Int?, of domain: String) {
        guard let index, var entries = self.domains[domain], entries.indices.contains(index) else { return }
        entries.remove(at: index)
        self.count -= 1
        self.domains[domain] = entries.isEmpty ? nil : entries
    }
}
