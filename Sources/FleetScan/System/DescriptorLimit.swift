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

/// The limit on open files and connections of this process.
///
/// If descriptors run out, connecting fails in ways that look like faults of the hosts: names do not resolve, and servers are not
/// reached. The limit is therefore raised before the first host is scanned.
package enum DescriptorLimit {
    /// Raises the limit for a number of connections.
    ///
    /// - Parameters:
    ///   - count: The number of connections.
    ///   - option: The command-line option that sets this number, for the error message.
    /// - Throws: ``FleetError`` if the system's limit is too low.
    package static func makeRoom(forConnections count: Int, limitedBy option: String) throws(FleetError) {
        guard let room = Self.raise(forConnections: count), room < count else { return }
        let advice = room > 0 ? "Give \(option) \(room), or raise" : "Raise"
        throw FleetError(
            "\(count) connections need \(count + Self.others) open files, and this process may have "
                + "\(room + Self.others). \(advice) the limit with ulimit -n")
    }

    /// Raises the limit for a number of connections as far as the system allows.
    ///
    /// - Returns: The number of connections that the limit now allows, or `nil` if the limit cannot be read.
    @discardableResult
    package static func raise(forConnections count: Int) -> Int? {
        let needed = rlim_t(count + Self.others + Self.lookUps)
        var limit = rlimit()
        guard Self.get(&limit) == 0 else { return nil }
        if limit.rlim_cur < needed, limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = min(limit.rlim_max, needed)
            // If the new limit is rejected, the old one still holds.
            guard Self.set(&limit) == 0 || Self.get(&limit) == 0 else { return nil }
        }
        return Int(clamping: limit.rlim_cur) - Self.others
    }

    /// The maximum number of connections of clients that request metrics.
    package static let metricsConnections = 32

    /// The number of sockets for slow name lookups. It is added if the limit can be raised far enough.
    private static let lookUps = 128

    /// The number of other descriptors: lists, results and metrics, those of each event loop, and one socket for each name lookup.
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
