//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Values by patterns of hosts; the most specific pattern that fits a host answers for it.
///
/// More labels come before fewer, so that every pattern of the host's own name comes before every pattern of a parent's. Of one
/// name, the name alone comes before one label, one label before any depth, and a pattern with the port before one without. Android,
/// TrustKit and curl choose in the same order. A look-up takes a few steps for each label of the host, however many patterns there are.
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

        /// The entry of the port, and the one of every port.
        func entries(for port: Int?) -> [Entry] { [port.flatMap { self.byPort[$0] }, self.any].compactMap(\.self) }
    }

    private var exact: [Substring: Ports] = [:]
    private var oneLabel: [Substring: Ports] = [:]
    private var anyDepth: [Substring: Ports] = [:]

    /// The number of patterns.
    package private(set) var count = 0

    package init() {}

    /// Adds a pattern.
    ///
    /// - Throws: ``HostPatternError`` when it is there already.
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

    /// The entry for a host.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - port: The port, if it is known; without, rules for a port do not fit.
    package func entry(for host: Host, port: Int?) -> Entry? {
        var entry: Entry?
        self.forEachMatch(of: host, port: port) { match in
            entry = match
            return false
        }
        return entry
    }

    /// All entries that fit a host, the most specific first.
    package func entries(for host: Host, port: Int?) -> [Entry] {
        var entries: [Entry] = []
        self.forEachMatch(of: host, port: port) { match in
            entries.append(match)
            return true
        }
        return entries
    }

    /// - Parameter body: Returns whether to go on.
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
