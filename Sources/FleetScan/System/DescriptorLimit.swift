//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// How many files and connections this process may have open.
///
/// Where they run out, connecting fails in ways that look like faults of hosts: names are not found, and servers are not
/// reached. So there has to be room before anybody is asked.
package enum DescriptorLimit {
    /// Makes room for connections.
    ///
    /// - Parameters:
    ///   - count: The number of connections.
    ///   - option: The program's word that limits them.
    /// - Throws: ``FleetError`` when the system does not let this process have as many as they need.
    package static func makeRoom(forConnections count: Int, limitedBy option: String) throws(FleetError) {
        guard let room = Self.raise(forConnections: count), room < count else { return }
        let advice = room > 0 ? "give \(option) \(room), or raise" : "raise"
        throw FleetError(
            "\(count) connections need \(count + Self.others) open files, and this process may have "
                + "\(room + Self.others); \(advice) the limit with ulimit -n")
    }

    /// Makes room for connections, as far as the system lets this process.
    ///
    /// - Returns: For how many there is room now; `nil` where the system does not say.
    @discardableResult
    package static func raise(forConnections count: Int) -> Int? {
        let needed = rlim_t(count + Self.others + Self.lookUps)
        var limit = rlimit()
        guard Self.get(&limit) == 0 else { return nil }
        if limit.rlim_cur < needed, limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = min(limit.rlim_max, needed)
            // Where it is not taken, the old one holds.
            guard Self.set(&limit) == 0 || Self.get(&limit) == 0 else { return nil }
        }
        return Int(clamping: limit.rlim_cur) - Self.others
    }

    /// The most connections of those who ask for metrics.
    package static let metricsConnections = 32

    /// What names that hang keep open, where the system lets it be raised so far: a socket for each look-up.
    private static let lookUps = 128

    /// What is open besides connections: lists, results and metrics, what each thread of the network waits with, and
    /// resolvers, which have a socket of their own while they look a name up.
    private static let others = 64 + Self.metricsConnections + 3 * System.coreCount

    #if canImport(Glibc)
    private static func get(_ limit: inout rlimit) -> Int32 {
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    private static func set(_ limit: inout rlimit) -> Int32 {
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    #else
    private static func get(_ limit: inout rlimit) -> Int32 { getrlimit(RLIMIT_NOFILE, &limit) }
    private static func set(_ limit: inout rlimit) -> Int32 { setrlimit(RLIMIT_NOFILE, &limit) }
    #endif
}
