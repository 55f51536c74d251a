//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The addresses of a host, so that they can be judged before anything is connected to.
enum AddressResolver {
    /// More than any host needs.
    private static let maximumCount = 16

    /// Looks a host up. Blocks.
    ///
    /// - Parameter host: A DNS name, or an IP address without brackets.
    /// - Throws: ``ResourceError`` when there is no such host.
    static func addresses(of host: String) throws(ResourceError) -> [IPAddress] {
        if let address = IPAddress(host) { return [address] }
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        // One entry for each address instead of one for each kind of socket.
        hints.ai_protocol = Int32(IPPROTO_TCP)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard code == 0 else { throw ResourceError(.unreachable, "the name \(host) could not be resolved") }
        var addresses: [IPAddress] = []
        var next = list
        while let entry = next, addresses.count < Self.maximumCount {
            if let address = Self.address(of: entry.pointee), !addresses.contains(address) {
                addresses.append(address)
            }
            next = entry.pointee.ai_next
        }
        guard !addresses.isEmpty else { throw ResourceError(.unreachable, "the name \(host) has no address") }
        return addresses
    }

    /// By way of its text: the structures behind the pointer differ from system to system.
    private static func address(of entry: addrinfo) -> IPAddress? {
        var text = [CChar](repeating: 0, count: 128)
        let code = getnameinfo(
            entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, Int32(NI_NUMERICHOST))
        guard code == 0 else { return nil }
        // An address with a zone is link-local, with or without it.
        let octets = text.prefix { $0 != 0 && $0 != CChar(UInt8(ascii: "%")) }.map { UInt8(bitPattern: $0) }
        return IPAddress(String(decoding: octets, as: UTF8.self))
    }
}
