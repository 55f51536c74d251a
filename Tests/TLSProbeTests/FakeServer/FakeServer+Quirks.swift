//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization
import TLSProbe
import TLSWire
import TestSupport

extension Quirk {
    /// Fails where a condition holds.
    static func when(
        _ isSo: @escaping @Sendable (SentHello) -> Bool, _ reaction: FakeServer.Reaction
    ) -> Quirk {
        Quirk { _, hello, _ in isSo(hello) ? reaction : nil }
    }

    /// Lets some connections through, and no more.
    static func after(_ count: Int, _ reaction: FakeServer.Reaction) -> Quirk {
        Quirk { _, _, number in number > count ? reaction : nil }
    }

    /// Lets the first connections fail.
    static func first(_ count: Int, _ reaction: FakeServer.Reaction) -> Quirk {
        Quirk { _, _, number in number <= count ? reaction : nil }
    }

    /// Fails the first times that a condition holds.
    static func once(
        _ isSo: @escaping @Sendable (SentHello) -> Bool, times: Int = 1, _ reaction: FakeServer.Reaction
    ) -> Quirk {
        let count = Mutex(0)
        return Quirk { _, hello, _ in
            guard isSo(hello) else { return nil }
            return count.withLock { count in
                count += 1
                return count <= times ? reaction : nil
            }
        }
    }

    /// Does what the server would do, but in place of an alert something else.
    static func insteadOfAlerts(_ reaction: FakeServer.Reaction) -> Quirk {
        Quirk { server, hello, _ in
            if case .bytes(let bytes) = server.sensibleReaction(to: hello), bytes.first == 21 { return reaction }
            return nil
        }
    }

    /// Another machine answers half of the connections, drawn by lot: the same ones for the same seed, as they are counted apart
    /// for every newest version on offer. Plans ask about several versions at once, and in no order.
    static func half(to other: FakeServer, seed: UInt64) -> Quirk {
        let lots = Counts(seed: seed)
        return Quirk { _, hello, _ in lots.next(for: hello) & 1 == 0 ? other.sensibleReaction(to: hello) : nil }
    }

    /// A share of the connections is closed, drawn by lot in the same way.
    static func lost(oneOf count: UInt64, seed: UInt64) -> Quirk {
        let lots = Counts(seed: seed)
        return Quirk { _, hello, _ in lots.next(for: hello) % count == 0 ? .close : nil }
    }

    /// A warning comes before everything else.
    static func warning(_ number: UInt8) -> Quirk {
        Quirk { server, hello, _ in
            guard case .bytes(let bytes) = server.sensibleReaction(to: hello) else { return nil }
            return .bytes(ScriptedServer.alert(number, level: 1) + bytes)
        }
    }

    /// Every octet of the flight comes in a record of its own.
    static let singleOctetRecords = Quirk { server, hello, _ in
        guard case .bytes(let bytes) = server.sensibleReaction(to: hello), bytes.first == 22 else { return nil }
        return .bytes(bytes.dropFirst(5).flatMap { ScriptedServer.record([$0]) })
    }
}

extension FakeServer {
    /// The suites of Mozilla's intermediate configuration.
    static let intermediateSuites: [UInt16] = [0xC02F, 0xC030, 0xCCA8, 0x009E, 0x009F]
    /// What was common in 2012, in an order of the server's.
    static let oldSuites: [UInt16] = [0xC014, 0xC013, 0x0039, 0x0033, 0x0035, 0x002F, 0x000A]

    /// A server as it should be.
    static let modern = FakeServer([.tls13: [0x1302, 0x1303, 0x1301], .tls12: Self.intermediateSuites])
    /// A server with everything before TLS 1.3, in the same order in every version.
    static let old = FakeServer([
        .tls12: [0xC030] + Self.oldSuites, .tls11: Self.oldSuites, .tls10: Self.oldSuites,
    ])

    /// The same with a quirk.
    func with(_ quirk: Quirk...) -> FakeServer {
        var server = self
        server.quirks += quirk
        return server
    }

    /// The same without a suite.
    func without(_ suite: UInt16) -> FakeServer {
        var server = self
        server.suites = self.suites.mapValues { $0.filter { $0.rawValue != suite } }
        return server
    }

    /// Follows a plan.
    func facts(
        _ plan: ProbePlan, limits: ProbeLimits = ProbeLimits(), serverName: String? = "host.test"
    ) async -> (facts: ServerFacts, exchange: FakeExchange) {
        let exchange = FakeExchange(self)
        var settings = ProbeSettings(serverName: serverName, offers: .sample)
        settings.limits = limits
        return (await plan.facts(over: exchange, settings), exchange)
    }
}

extension ClientOffers {
    static let sample = ClientOffers(
        ats: sample([0xC02C, 0xC02B, 0xCCA9, 0xC030, 0xC02F, 0xCCA8, 0xC00A, 0xC009, 0xC014, 0xC013]),
        fcp: sample([0xC02C, 0xC02B, 0xCCA9, 0xC030, 0xC02F, 0xCCA8], isFCP: true),
        compatible: sample([0x9D, 0x9C, 0x35, 0x2F]))

    private static func sample(_ suites: [UInt16], isFCP: Bool = false) -> ClientOffer {
        let schemes = [0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0806, 0x0601, 0x0201].map(SignatureScheme.init)
        return ClientOffer(
            cipherSuites: suites.map(CipherSuite.init),
            groups: [.x25519MLKEM768, .x25519, .secp256r1, .secp384r1, .secp521r1],
            signatureSchemes: schemes.filter { !isFCP || !$0.usesSHA1 })
    }
}

/// How many hellos offered a version as their newest, and the lots that are drawn for them.
private final class Counts: Sendable {
    private let counts = Mutex([TLSProtocolVersion: Int]())
    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
    }

    func next(for hello: SentHello) -> UInt64 {
        let version = hello.versions?.max() ?? hello.legacyVersion
        let number = self.counts.withLock { counts in
            counts[version, default: 0] += 1
            return counts[version, default: 0]
        }
        var lot = self.seed &+ UInt64(version.rawValue) << 32 &+ UInt64(number)
        // The mixing of SplitMix64.
        lot = (lot ^ (lot >> 30)) &* 0xBF58_476D_1CE4_E5B9
        lot = (lot ^ (lot >> 27)) &* 0x94D0_49BB_1331_11EB
        return lot ^ (lot >> 31)
    }
}
