//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrust
import ServerTrustNIO

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One address of a server, and a prober that connects only to it.
struct ProbedAddress: Sendable {
    /// The address with the port, as in reports, or `nil` if the prober finds it by itself.
    let text: String?
    let prober: Prober
}

/// The addresses of a server to probe.
struct ProbedAddresses: Sendable {
    /// The addresses to probe. There is at least one.
    let asked: [ProbedAddress]
    /// The number of further addresses of the name.
    let unasked: Int
    /// The time that name resolution waited for a thread, which is not the server's time.
    let waited: Duration
}

extension Prober {
    /// Resolves the addresses of a server. Each is probed as a server of its own, because clients may connect to any of them.
    ///
    /// If there is one address, or if name resolution fails, the prober uses the first address that answers. A proxy resolves names
    /// itself.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - limit: The maximum number of addresses. With 1, the first address that answers is probed.
    func addresses(of endpoint: TLSEndpoint, limit: Int) async -> ProbedAddresses {
        guard self.configuration.proxy == nil, limit > 1 else {
            return ProbedAddresses(
                asked: [ProbedAddress(text: nil, prober: self)], unasked: 0, waited: .zero)
        }
        let answer = await self.lookUp(endpoint)
        let prober = self.configured { $0.lookup = answer.outcome.isAboutName ? answer.outcome : nil }
        guard case .found(let addresses) = answer.outcome, addresses.count > 1 else {
            return ProbedAddresses(
                asked: [ProbedAddress(text: nil, prober: prober)], unasked: 0, waited: answer.waited)
        }
        let asked = addresses.prefix(limit).map { address in
            var found = address
            found.port = endpoint.port
            return ProbedAddress(
                text: found.textWithPort, prober: self.configured { $0.lookup = .found([address]) })
        }
        return ProbedAddresses(asked: asked, unasked: addresses.count - asked.count, waited: answer.waited)
    }

    /// Returns a prober that connects to an address in the form of reports. Returns the same prober if there is none or a proxy
    /// connects.
    package func connecting(to address: String?) -> Prober {
        guard self.configuration.proxy == nil, let found = address.flatMap(SocketAddress.init(withPort:)) else {
            return self
        }
        return self.configured { $0.lookup = .found([found]) }
    }

    private func lookUp(_ endpoint: TLSEndpoint) async -> NameResolver.Answer {
        let configuration = self.configuration.bounded
        if let known = configuration.lookup { return NameResolver.Answer(outcome: known, waited: .zero) }
        return await configuration.resolver.addresses(
            of: endpoint.connectName, timeout: min(configuration.timeout, configuration.timeoutPerHost))
    }
}

extension NameLookupOutcome {
    /// `true` if the outcome is about the name, and not only about this machine.
    fileprivate var isAboutName: Bool {
        switch self {
        case .found, .notFound, .timedOut: true
        case .unanswered, .busy, .starved, .cancelled: false
        }
    }
}

extension SocketAddress {
    /// The IP address with the zone of a link-local one (RFC 4007 §11), or `nil` for other sockets.
    var textWithZone: String? {
        guard self.ipAddress != nil else { return nil }
        return self.withSockAddr { address, size in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
                let code = getnameinfo(
                    address, socklen_t(size), buffer.baseAddress, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST)
                return code == 0 ? buffer.baseAddress.map { String(cString: $0) } : self.ipAddress
            }
        }
    }

    /// Returns `true` if an address with a port, in the form of reports, is public or unknown.
    static func isPublic(_ text: String?) -> Bool {
        guard let text else { return true }
        return (try? TLSEndpoint(parsing: text))?.host.address?.isPublic == true
    }

    /// Creates the address from its form in reports, with a port. Returns `nil` for other text.
    init?(withPort text: String) {
        guard let endpoint = try? TLSEndpoint(parsing: text),
            let address = try? SocketAddress(ipAddress: endpoint.host.text, port: endpoint.port)
        else { return nil }
        self = address
    }

    var isPublic: Bool { self.ipAddress.flatMap { try? Host($0) }?.address?.isPublic == true }

    /// The address with its port, such as `192.0.2.1:443` or `[2001:db8::1]:443`.
    var textWithPort: String? {
        guard let host = self.textWithZone, let port = self.port else { return nil }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
