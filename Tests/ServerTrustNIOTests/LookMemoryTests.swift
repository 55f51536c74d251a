//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOEmbedded
import NIOPosix
import ServerTrust
import ServerTrustTesting
import TLSWire
import TestSupport
import Testing

@testable import ServerTrustNIO

@Suite("The looks at a server that a gate remembers")
struct LookMemoryTests {
    @Test(
        "A look is kept up to 32 KiB, whatever part of it is large",
        arguments: ["response", "timestamps"], [(0, true), (1, false)])
    func size(part: String, excess: (octets: Int, isKept: Bool)) throws {
        let leaf = try TestAuthority().issue(.leaf(dnsNames: ["a.test"])).der
        let octets = [UInt8](repeating: 0, count: (32 << 10) - leaf.count + excess.octets)
        var result = Self.result(leaf)
        if part == "response" { result.ocspResponse = octets } else { result.timestamps = octets }
        #expect((ServerLook(result) != nil) == excess.isKept)
    }

    @Test("A look counts with a certificate, a flight to its end, and a proven key alone")
    func whole() throws {
        let leaf = try TestAuthority().issue(.leaf(dnsNames: ["a.test"])).der
        let whole = Self.result(leaf)
        #expect(ServerLook(whole) != nil)
        for change in [
            { $0.certificates = [] }, { $0.isKeyProven = false }, { $0.failure = .closed },
        ] as [(inout HandshakeResult) -> Void] {
            var result = whole
            change(&result)
            #expect(ServerLook(result) == nil)
        }
    }

    /// A look that saw all that a server delivers.
    private static func result(_ leaf: [UInt8]) -> HandshakeResult {
        var result = HandshakeResult()
        (result.certificates, result.isKeyProven) = ([leaf], true)
        return result
    }

    @Test("A machine that looks did not meet is not looked for with each connection")
    func missing() throws {
        let authority = try TestAuthority()
        let memory = LookMemory()
        let leaves = try (0..<5).map { _ in try authority.issue(.leaf(dnsNames: ["a.test"])).trustCertificate }
        for leaf in leaves {
            #expect(!memory.hasJustMissed(leaf))
            memory.miss(leaf)
            #expect(memory.hasJustMissed(leaf))
        }
        #expect(leaves.count { memory.hasJustMissed($0) } <= 4)
    }

    @Test("On event loops of other libraries there is no way to look")
    func otherEventLoops() throws {
        let (address, destination) = (
            try SocketAddress(ipAddress: "127.0.0.1", port: 9), ATSDestination(host: "a.test")
        )
        let loops: [any EventLoop] = [EmbeddedEventLoop(), MultiThreadedEventLoopGroup.singleton.any()]
        let ways = loops.map { eventLoop in
            LookingWay.addressOfNewConnection.dialer(
                to: destination, at: address, on: eventLoop, timeout: .seconds(1)) != nil
        }
        #expect(ways == [false, true])
    }

    @Test("Machines are remembered by their certificates, four at most")
    func count() throws {
        let authority = try TestAuthority()
        let memory = LookMemory()
        let leaves = try (0..<5).map { _ in try authority.issue(.leaf(dnsNames: ["a.test"])).trustCertificate }
        for leaf in leaves {
            #expect(memory.look(at: leaf) == nil)
            memory.remember(ServerLook(Self.result(leaf.derRepresentation)))
            #expect(memory.look(at: leaf)?.leaf == leaf.derRepresentation)
        }
        #expect(leaves.count { memory.look(at: $0) != nil } <= 4)
        #expect(memory.isFresh && !memory.hasJustFailed)
    }

    @Test("A look that shows nothing is remembered as such, and forgets no machine")
    func failure() throws {
        let leaf = try TestAuthority().issue(.leaf(dnsNames: ["a.test"])).trustCertificate
        let memory = LookMemory()
        memory.remember(ServerLook(Self.result(leaf.derRepresentation)))
        memory.remember(nil)
        #expect(memory.hasJustFailed && memory.look(at: leaf) != nil)
    }
}
