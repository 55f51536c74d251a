//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A table of values by host pattern, in which the most specific pattern that matches a host decides.
///
/// Patterns with more labels come first, so that every pattern of the host's own name precedes every pattern of a parent. For one
/// name, the order is: the name alone, one label, any depth. A pattern with a port precedes one without. Android, TrustKit and curl
/// use the same order. A lookup takes a few steps for each label of the host, regardless of the number of patterns.
package struct HostTable<Value: Sendable>: Sendable {
    /// A pattern with its value.
    package struct Entry: Sendable {
        package let pattern: HostPattern
        package let value: Value
    }

    /// The entries for one name and breadth.
    private struct Ports: Sendable {
        var any: Entry?
        var byPort: [Int: Entry] = [:]

        /// Returns the entry for the port, then the one for every port.
        func entries(for port: Int?) -> [Entry] { [port.flatMap { self.byPort[$0] }, self.any].compactMap(\.self) }
    }

    private var exact: [Substring: Ports] = [:]
    private var oneLabel: [Substring: Ports] = [:]
    private var anyDepth: [Substring: Ports] = [:]

    package private(set) var count = 0

    package init() {}

    /// Adds a pattern.
    ///
    /// - Throws: ``HostPatternError`` if the table already has the pattern.
    package mutating func insert(_ value: Value, for pattern: HostPattern) throws(HostPatternError) {
        let (entry, name) = (Entry(pattern: pattern, value: value), pattern.host[...])
        let isNew =
            switch pattern.breadth {
            case .exact: Self.insert(entry, into: &self.exact[name, default: Ports()])
            case .oneLabel: Self.insert(entry, into: &self.oneLabel[name, default: Ports()])
            case .anyDepth: Self.insert(entry, into: &self.anyDepth[name, default: Ports()])
            }
        guard isNew else { throw HostPatternError(.duplicate, pattern: "\(pattern)") }
        self.count += 1
    }

    private static func insert(_ entry: Entry, into ports: inout Ports) -> Bool {
        if let port = entry.pattern.port { return ports.byPort.updateValue(entry, forKey: port) == nil }
        defer { ports.any = entry }
        return ports.any == nil
    }

    /// Returns the most specific entry for a host.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - port: The port, if it is known. Without it, rules for a port do not match.
    package func entry(for host: Host, port: Int?) -> Entry? {
        var entry: Entry?
        self.forEachMatch(of: host, port: port) { match in
            entry = match
            return false
        }
        return entry
    }

    /// Returns all entries that match a host, the most specific first.
    package func entries(for host: Host, port: Int?) -> [Entry] {
        var entries: [Entry] = []
        self.forEachMatch(of: host, port: port) { match in
            entries.append(match)
            return true
        }
        return entries
    }

    /// - Parameter body: Returns `true` to continue with the next match.
    private func forEachMatch(of host: Host, port: Int?, _ body: (Entry) -> Bool) {
        let name = host.ruleKey[...]
        guard self.goOn(self.exact[name], port, body: body), !host.isAddress else { return }
        guard self.goOn(self.anyDepth[name], port, body: body), let parent = Host.parent(of: name) else { return }
        guard self.goOn(self.oneLabel[parent], port, body: body), !self.anyDepth.isEmpty else { return }
        var suffix: Substring? = parent
        while let current = suffix {
            guard self.goOn(self.anyDepth[current], port, body: body) else { return }
            suffix = Host.parent(of: current)
        }
    }

    private func goOn(_ ports: Ports?, _ port: Int?, body: (Entry) -> Bool) -> Bool {
        ports?.entries(for: port).allSatisfy(body) ?? true
    }
}
