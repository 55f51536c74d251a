//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOSSL
import Testing

@testable import ServerTrustNIO

@Suite("TLS contexts")
struct TLSContextsTests {
    @Test("Connections with the same offer share a context, whatever their limits")
    func shared() throws {
        let configuration = TLSConnection.Configuration()
        var patient = configuration
        (patient.timeout, patient.maximumCertificateCount, patient.maximumChainSize) = (.seconds(99), 3, 4)
        #expect(try configuration.context() === patient.context())
        var other = configuration
        other.applicationProtocols = ["other"]
        #expect(try configuration.context() !== other.context())
    }

    @Test("Beyond their limit, contexts are made and not kept")
    func capacity() throws {
        let contexts = TLSContexts<Int>()
        func context(_ offer: Int) throws -> NIOSSLContext {
            try contexts.context(for: offer) { _ in TLSConfiguration(offering: .init()) }
        }
        let first = try context(0)
        for offer in 1..<64 { _ = try context(offer) }
        #expect(try context(64) !== context(64))
        #expect(try context(0) === first)
    }

    @Test("An offer that cannot be made is an error each time")
    func unusable() {
        var configuration = TLSConnection.Configuration()
        configuration.applicationProtocols = [""]
        for _ in 0..<2 { #expect(throws: (any Error).self) { try configuration.context() } }
    }
}
