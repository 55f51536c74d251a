//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The outcome of resolving a name.
package enum NameLookupOutcome: Sendable, Hashable {
    /// The addresses without a port, in the order of RFC 6724. There is at least one.
    case found([SocketAddress])
    /// The name does not exist or has no address.
    case notFound
    /// No name server answered, which says nothing about the name.
    case unanswered
    /// The query took longer than the timeout.
    case timedOut
    /// All threads were busy with other names for longer than the caller's patience.
    case busy
    /// This machine has no thread or socket left, which says nothing about the name.
    case starved
    case cancelled
}

/// The resolver of the operating system.
enum SystemNameLookup {
    /// A bound that no host's addresses need to exceed.
    private static let maximumCount = 16

    /// Resolves a name. Blocks, and cannot be cancelled.
    static func addresses(of name: String) -> NameLookupOutcome {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        // One entry for each address instead of one for each kind of socket.
        hints.ai_protocol = Int32(IPPROTO_TCP)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &list)
        let number = errno
        defer { if let list { freeaddrinfo(list) } }
        guard code == 0 else {
            return Self.outcome(of: code, number)
        }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next, addresses.count < Self.maximumCount {
            if let address = Self.address(of: entry.pointee), !addresses.contains(address) { addresses.append(address) }
            next = entry.pointee.ai_next
        }
        return addresses.isEmpty ? .notFound : .found(addresses)
    }

    /// Returns the outcome for an error.
    ///
    /// - Parameters:
    ///   - code: The return value of `getaddrinfo`.
    ///   - number: The value of `errno`.
    static func outcome(of code: Int32, _ number: Int32) -> NameLookupOutcome {
        switch code {
        case EAI_SYSTEM where number == EMFILE || number == ENFILE: .starved
        // RFC 3493 §6.1: a temporary failure, and a permanent failure of the name server.
        case EAI_AGAIN, EAI_FAIL, EAI_SYSTEM: .unanswered
        default: .notFound
        }
    }

    /// Returns the address with the zone of a link-local address, which its text would lose.
    private static func address(of entry: addrinfo) -> SocketAddress? {
        guard let pointer = UnsafeRawPointer(entry.ai_addr) else { return nil }
        switch entry.ai_family {
        case AF_INET where Int(entry.ai_addrlen) >= MemoryLayout<sockaddr_in>.size:
            return SocketAddress(pointer.loadUnaligned(as: sockaddr_in.self))
        case AF_INET6 where Int(entry.ai_addrlen) >= MemoryLayout<sockaddr_in6>.size:
            return SocketAddress(pointer.loadUnaligned(as: sockaddr_in6.self))
        default: return nil
        }
    }
}
