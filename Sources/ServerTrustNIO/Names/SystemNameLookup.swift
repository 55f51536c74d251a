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

/// What looking a name up comes to.
package enum NameLookupOutcome: Sendable, Hashable {
    /// The addresses, without a port, in the order of RFC 6724; at least one.
    case found([SocketAddress])
    /// There is no such name, or it has no address.
    case notFound
    /// No name server gave an answer, which says nothing about the name.
    case unanswered
    /// There was no answer in time.
    case timedOut
    /// All threads were busy with other names for longer than the caller waits.
    case busy
    /// This machine lets no thread or socket be opened, which says nothing about the name.
    case starved
    /// The task was cancelled.
    case cancelled
}

/// The look-up of the operating system.
enum SystemNameLookup {
    /// More than any host needs.
    private static let maximumCount = 16

    /// Looks a name up. Blocks, and cannot be called off.
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

    /// What an error means.
    ///
    /// - Parameters:
    ///   - code: What `getaddrinfo` returned.
    ///   - number: The error of the system beside it.
    static func outcome(of code: Int32, _ number: Int32) -> NameLookupOutcome {
        switch code {
        case EAI_SYSTEM where number == EMFILE || number == ENFILE: .starved
        // RFC 3493 §6.1: a failure that may pass, and one of the name server that will not.
        case EAI_AGAIN, EAI_FAIL, EAI_SYSTEM: .unanswered
        default: .notFound
        }
    }

    /// With the zone of a link-local address, which its text would lose.
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
