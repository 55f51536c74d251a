//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
        var result = HandshakeResult()
        result.certificates = [leaf]
        if part == "response" { result.ocspResponse = octets } else { result.timestamps = octets }
        #expect((ServerLook(result) != nil) == excess.isKept)
    }

    @Test("A look without a certificate is not kept")
    func none() { #expect(ServerLook(HandshakeResult()) == nil) }

    @Test("Machines are remembered by their certificates, four at most")
    func count() throws {
        let authority = try TestAuthority()
        let memory = LookMemory()
        let leaves = try (0..<5).map { _ in try authority.issue(.leaf(dnsNames: ["a.test"])).trustCertificate }
        for leaf in leaves {
            #expect(memory.look(at: leaf) == nil)
            var result = HandshakeResult()
            result.certificates = [leaf.derRepresentation]
            memory.remember(ServerLook(result))
            #expect(memory.look(at: leaf)?.leaf == leaf.derRepresentation)
        }
        #expect(leaves.count { memory.look(at: $0) != nil } <= 4)
        #expect(memory.isFresh && !memory.hasJustFailed)
    }

    @Test("A look that shows nothing is remembered as such, and forgets no machine")
    func failure() throws {
        let leaf = try TestAuthority().issue(.leaf(dnsNames: ["a.test"])).trustCertificate
        let memory = LookMemory()
        var result = HandshakeResult()
        result.certificates = [leaf.derRepresentation]
        memory.remember(ServerLook(result))
        memory.remember(nil)
        #expect(memory.hasJustFailed && memory.look(at: leaf) != nil)
    }
}
