//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import ServerTrust

/// One cell of the truth table: settings, and whether a domain is given.
struct SecurityPolicyCell: Sendable, CustomStringConvertible {
    let mode: SecurityPolicy.PinningMode
    let allowsInvalid: Bool
    let validatesDomain: Bool
    let domain: String?

    static let all: [SecurityPolicyCell] = SecurityPolicy.PinningMode.allCases.flatMap { mode in
        [false, true].flatMap { allowsInvalid in
            [false, true].flatMap { validatesDomain in
                ["www.example.com", nil].map { domain in
                    SecurityPolicyCell(
                        mode: mode, allowsInvalid: allowsInvalid, validatesDomain: validatesDomain, domain: domain)
                }
            }
        }
    }

    var description: String {
        "\(self.mode), allowInvalid \(self.allowsInvalid), validatesDomain \(self.validatesDomain), \(self.domain ?? "nil")"
    }

    func policy(
        _ server: PinnedServer, _ semantics: SecurityPolicy.Semantics
    ) throws(SecurityPolicyError) -> SecurityPolicy {
        try SecurityPolicy(
            pinningMode: self.mode, pinnedCertificates: server.pinned, allowInvalidCertificates: self.allowsInvalid,
            validatesDomainName: self.validatesDomain, semantics: semantics)
    }

    /// What AFNetworking 4.0.1 decides.
    func isTrustedByAFNetworking(_ server: PinnedServer) -> Bool {
        let nameFits = !self.validatesDomain || self.domain == nil || server.nameMatches
        let isGuarded = self.domain != nil && self.allowsInvalid && self.validatesDomain
        switch (self.mode, self.allowsInvalid) {
        case (.none, false): return server.isValid && nameFits
        case (.none, true): return !isGuarded
        case (.certificate, false): return server.isValid && nameFits && server.isValidBelowPins
        case (.certificate, true): return server.isValidBelowPins && nameFits
        case (.publicKey, false): return server.isValid && nameFits && server.keyIsOnPath
        case (.publicKey, true): return server.keyIsOnBuiltPath
        }
    }

    /// What the settings say; `nil` where they contradict each other.
    func isTrustedSecurely(_ server: PinnedServer) -> Bool? {
        switch (self.mode, server.pinned.isEmpty) {
        case (.none, false), (.publicKey, true), (.certificate, true): return nil
        case (.none, true) where self.allowsInvalid: return nil
        default: break
        }
        guard !self.validatesDomain || self.domain != nil else { return false }
        guard !self.validatesDomain || server.nameMatches else { return false }
        switch (self.mode, self.allowsInvalid) {
        case (.none, _): return server.isValid
        case (.certificate, false): return server.isValid && server.isValidBelowPins
        case (.certificate, true): return server.isValidBelowPins
        case (.publicKey, false): return server.isValid && server.keyIsOnPath
        case (.publicKey, true): return server.isVouchedFor
        }
    }
}

@Suite struct SecurityPolicyTruthTableTests {
    @Test(arguments: SecurityPolicyCell.all, PinnedServer.all)
    func `What the settings say is what is decided, and contradictions cannot be made`(
        cell: SecurityPolicyCell, server: PinnedServer
    ) throws {
        guard let expected = cell.isTrustedSecurely(server) else {
            #expect(throws: SecurityPolicyError.self) { try cell.policy(server, .secure) }
            return
        }
        let decision = try cell.policy(server, .secure).evaluate(try server.trust, forDomain: cell.domain)
        #expect(decision.isTrusted == expected, "\(decision.failure?.description ?? "trusted")")
        #expect((decision.failure == nil) == expected)
    }

    @Test(arguments: SecurityPolicyCell.all, PinnedServer.all)
    func `AFNetworking's decisions are reproduced for those who say that it is dangerous`(
        cell: SecurityPolicyCell, server: PinnedServer
    ) throws {
        let policy = try cell.policy(server, .dangerouslyLikeAFNetworking)
        let decision = policy.evaluate(try server.trust, forDomain: cell.domain)
        #expect(decision.isTrusted == cell.isTrustedByAFNetworking(server))
    }

    @Test(arguments: SecurityPolicyCell.all, PinnedServer.all)
    func `A server that is trusted without a pin on the path is trusted by AFNetworking alone`(
        cell: SecurityPolicyCell, server: PinnedServer
    ) throws {
        guard cell.mode != .none, !server.isVouchedFor, let policy = try? cell.policy(server, .secure) else { return }
        #expect(!policy.evaluate(try server.trust, forDomain: cell.domain).isTrusted)
    }
}
