//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@testable import ServerDiagnosis
@testable import ServerTrustNIO

@Suite("Redirects into private networks", .limitedConcurrency, .timeLimit(.minutes(10)))
struct LocalRedirectTests {
    private func search(allowsLocalAddresses: Bool, finding addresses: [String]) throws -> RedirectSearch {
        let found = try addresses.map { try SocketAddress(ipAddress: $0, port: 0) }
        return RedirectSearch(
            trust: .only([]), timeout: .seconds(1), allowsLocalAddresses: allowsLocalAddresses,
            resolver: NameResolver(threads: 1) { _ in .found(found) })
    }

    @Test(
        "Another host is followed to no address of this machine or its network",
        arguments: ["127.0.0.1", "::1", "169.254.169.254", "10.0.0.1", "192.168.1.1", "fd00::1", "::ffff:127.0.0.1"])
    func refused(address: String) async throws {
        let host = try Host("other.test")
        let search = try self.search(allowsLocalAddresses: false, finding: [address])
        await #expect(throws: ResourceError.self) { try await search.addresses(of: host) }
        let literal = try Host(address)
        await #expect(throws: ResourceError.self) { try await search.addresses(of: literal) }
        let asked = try self.search(allowsLocalAddresses: true, finding: [address])
        #expect(try await asked.addresses(of: host) == nil)
    }

    @Test(
        "A redirect is noted, and followed neither as a user, nor without TLS elsewhere, nor without end",
        arguments: [
            ("https://other.test/b", nil), ("http://named.test/b", nil), ("https://u@named.test/b", "user name"),
            ("https://u:secret@other.test/b", "user name"), ("https://@other.test/b", "user name"),
            ("http://other.test/b", "plain HTTP"),
        ] as [(String, String?)])
    func steps(url: String, failure: String?) throws {
        let (host, destination) = (try Host("named.test"), try HTTPURL(url))
        let steps = RedirectSteps(limit: 2)
        #expect(steps.follows(destination, from: host) == (failure == nil))
        #expect(steps.trace.isRedirected && steps.trace.destinations == [destination.origin.destination])
        #expect(failure.map { steps.trace.failure?.contains($0) == true } ?? (steps.trace.failure == nil))
        #expect(steps.trace.connections == (failure == nil ? 2 : 1))
        guard failure == nil else { return }
        #expect(steps.follows(destination, from: host))
        #expect(!steps.follows(destination, from: host) && steps.trace.failure?.contains("more than 2") == true)
        #expect(steps.trace.connections == 3 && steps.trace.destinations.count == 3)
    }

    @Test("Of several addresses only those that are public are connected to")
    func mixed() async throws {
        let search = try self.search(allowsLocalAddresses: false, finding: ["127.0.0.1", "1.1.1.1", "::1"])
        let addresses = try await search.addresses(of: Host("other.test"))
        #expect(addresses?.map(\.textWithZone) == ["1.1.1.1"])
    }

    @Test(
        "A server at a public address has to be allowed to redirect into private networks, and a private one need not")
    func origin() {
        #expect(SocketAddress.isPublic("1.1.1.1:443") && SocketAddress.isPublic("[2606:4700::1]:443"))
        #expect(SocketAddress.isPublic(nil))
        for own in ["127.0.0.1:443", "[::1]:8443", "10.1.2.3:443", "[fe80::1%lo]:443"] {
            #expect(!SocketAddress.isPublic(own))
        }
    }
}
