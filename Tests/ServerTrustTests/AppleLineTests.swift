//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

@testable import ServerTrust

/// A chain, and the line that Apple's systems log for it, written by hand.
struct LoggedChain: Sendable, CustomTestStringConvertible {
    typealias Change = @Sendable (inout CraftedCertificate) -> Void
    enum Sent: Sendable { case whole, leaf, leafAndSecond, withRoot }

    /// The line behind its first words; `nil` for a chain that has none.
    let line: String?
    var host = "www.example.com"
    var sent = Sent.whole
    /// The class of the anchor; `nil` if the root is not trusted.
    var root: AnchorClass? = AnchorClass.application
    var isSelfSigned = false
    var changeRoot: Change = { _ in }
    var first: Change = { _ in }
    var second: Change = { _ in }
    var leaf: Change = { _ in }

    var testDescription: String { self.line ?? "no line" }

    func result() throws -> TrustResult {
        let chain = try TestChain(root: self.changeRoot, first: self.first, second: self.second, leaf: self.leaf)
        let own = CraftedAuthority(name: TestDER.name([[.cn("www.example.com")]]), .p256(100))
        let leaf = try self.isSelfSigned ? own.leaf(own.key, self.leaf) : chain.leaf
        let sent =
            switch self.sent {
            case .whole: [leaf, chain.second, chain.first]
            case .leaf: [leaf]
            case .leafAndSecond: [leaf, chain.second]
            case .withRoot: [leaf, chain.second, chain.first, chain.root]
            }
        var anchors = TrustAnchors.none
        if let root = self.root { anchors.add(Certificate(chain.root), as: root) }
        var trust = try Trust(
            certificates: sent.map(Certificate.init), policy: .tlsServer(hostname: self.host),
            configuration: TrustConfiguration(anchors: anchors))
        trust.verifyDate = Date(testTime)
        return trust.evaluate()
    }
}

extension LoggedChain {
    private static let past: Change = { $0.notAfter = DER.utcTime("260520000000Z") }
    private static let future: Change = { $0.notBefore = DER.utcTime("260701000000Z") }
    private static let client: Change = { $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.2")) }
    private static let md5: Change = {
        let identifier = DER.sequence(DER.oid("1.2.840.113549.1.1.4"), [5, 0])
        ($0.innerAlgorithm, $0.outerAlgorithm) = (identifier, identifier)
    }
    private static let sha1: Change = { $0.algorithm = .ecdsaSHA1 }
    private static func lasting(from start: String, to end: String) -> Change {
        {
            $0.notBefore = DER.utcTime(start)
            $0.notAfter = DER.utcTime(end)
        }
    }

    static let all: [LoggedChain] = [
        // Names and dates.
        LoggedChain(line: "[leaf SSLHostname]", host: "other.example"),
        LoggedChain(line: "[leaf SSLHostname]", host: "127.0.0.1"),
        LoggedChain(line: "[leaf TemporalValidity]", leaf: Self.past),
        LoggedChain(line: "[leaf TemporalValidity]", leaf: Self.future),
        LoggedChain(line: "[ca1 TemporalValidity]", second: Self.past),
        LoggedChain(line: "[ca2 TemporalValidity]", first: Self.past),
        LoggedChain(line: "[root TemporalValidity]", changeRoot: Self.past),
        LoggedChain(line: "[leaf TemporalValidity] [root TemporalValidity]", changeRoot: Self.past, leaf: Self.past),
        LoggedChain(line: "[leaf SSLHostname TemporalValidity]", host: "other.example", leaf: Self.past),
        LoggedChain(line: "[leaf SSLHostname] [ca1 TemporalValidity]", host: "other.example", second: Self.past),
        LoggedChain(
            line: "[leaf SSLHostname] [ca1 TemporalValidity] [root TemporalValidity]", host: "other.example",
            changeRoot: Self.past, second: Self.past),
        // Trust.
        LoggedChain(line: "[root AnchorTrusted]", sent: .withRoot, root: nil),
        LoggedChain(line: "[leaf MissingIntermediate]", sent: .leaf),
        LoggedChain(line: "[root MissingIntermediate]", sent: .leafAndSecond),
        LoggedChain(line: "[root MissingIntermediate]", root: nil),
        LoggedChain(line: "[leaf AnchorTrusted]", sent: .leaf, isSelfSigned: true),
        LoggedChain(line: "[leaf AnchorTrusted SSLHostname]", host: "other.example", sent: .leaf, isSelfSigned: true),
        LoggedChain(
            line: "[leaf AnchorTrusted SSLHostname TemporalValidity]", host: "other.example", sent: .leaf,
            isSelfSigned: true, leaf: Self.past),
        LoggedChain(line: "[leaf SSLHostname] [root AnchorTrusted]", host: "other.example", sent: .withRoot, root: nil),
        LoggedChain(line: "[leaf MissingIntermediate SSLHostname]", host: "other.example", sent: .leaf),
        LoggedChain(line: "[leaf ExtendedKeyUsage MissingIntermediate]", sent: .leaf, leaf: Self.client),
        // Uses.
        LoggedChain(line: "[leaf ExtendedKeyUsage ServerAuthEKU]", leaf: Self.client),
        LoggedChain(line: "[leaf ServerAuthEKU]", leaf: { $0.remove("2.5.29.37") }),
        LoggedChain(line: "[leaf ServerAuthEKU]", leaf: { $0.set(.extendedKeyUsage("2.5.29.37.0")) }),
        LoggedChain(line: "[leaf ExtendedKeyUsage]", root: .user, leaf: Self.client),
        LoggedChain(line: "[ca1 ExtendedKeyUsage]", second: Self.client),
        LoggedChain(
            line: "[leaf ExtendedKeyUsage SSLHostname ServerAuthEKU TemporalValidity]", host: "other.example",
            leaf: {
                Self.client(&$0)
                Self.past(&$0)
            }),
        LoggedChain(line: "[ca1 KeyUsage]", second: { $0.set(.keyUsage(6)) }),
        // Keys and signatures.
        LoggedChain(line: "[leaf KeySize]", leaf: { $0.key = TestKey.rsa1024.info }),
        LoggedChain(line: "[leaf KeySize]", leaf: { $0.key = TestKey.ed25519(5).info }),
        LoggedChain(line: "[leaf KeySize WeakKeySize]", leaf: TestTrust.weakLeaf),
        LoggedChain(line: "[leaf SignatureHashAlgorithms]", leaf: Self.sha1),
        LoggedChain(line: "[ca1 SignatureHashAlgorithms]", second: Self.sha1),
        LoggedChain(
            line: "[ca1 TemporalValidity] [ca2 SignatureHashAlgorithms]", first: Self.sha1, second: Self.past),
        // Form.
        LoggedChain(line: "[ca1 BasicConstraints]", second: { $0.remove("2.5.29.19") }),
        LoggedChain(line: "[ca1 BasicConstraintsCA]", second: { $0.set(.basicConstraints(false)) }),
        LoggedChain(
            line: "[ca2 BasicConstraintsPathLen]", first: { $0.set(.basicConstraints(true, pathLength: 0)) }),
        LoggedChain(
            line: "[root BasicConstraintsPathLen]", changeRoot: { $0.set(.basicConstraints(true, pathLength: 0)) }),
        LoggedChain(
            line: "[leaf CriticalExtensions]",
            leaf: { $0.extensions.append(TestExtension("1.2.3", critical: true, [1])) }),
        LoggedChain(
            line: "[leaf DuplicateExtension]",
            leaf: { $0.extensions += [TestExtension("1.2.3", [1]), TestExtension("1.2.3", [1])] }),
        LoggedChain(
            line: "[leaf UnparseableExtension]",
            leaf: { $0.extensions.append(TestExtension("1.3.6.1.5.5.7.1.1", [1])) }),
        LoggedChain(line: "[leaf IdLinkage]", leaf: { $0.set(.authorityKeyIdentifier([1, 2, 3])) }),
        LoggedChain(
            line: "[leaf NameConstraints]", first: { $0.set(.nameConstraints(excluded: [.dns("example.com")])) }),
        LoggedChain(line: "[leaf NonEmptySubject]", leaf: { $0.subject = DER.sequence() }),
        // Lifetimes.
        LoggedChain(
            line: "[leaf OtherTrustValidityPeriod]", leaf: Self.lasting(from: "250101000000Z", to: "271231000000Z")),
        LoggedChain(
            line: "[leaf OtherTrustValidityPeriod SystemTrustValidityPeriod]", root: .system,
            leaf: Self.lasting(from: "250101000000Z", to: "271231000000Z")),
        LoggedChain(
            line: "[leaf SystemTrustValidityPeriod]", root: .system,
            leaf: Self.lasting(from: "260101000000Z", to: "270401000000Z")),
        // Nothing to log.
        LoggedChain(line: nil),
        LoggedChain(line: nil, sent: .withRoot),
    ]
}

@Suite("The line that Apple's systems log for a refusal")
struct AppleLineTests {
    @Test("It has the failed checks of each certificate, in the order of the path", arguments: LoggedChain.all)
    func chains(_ chain: LoggedChain) throws {
        let result = try chain.result()
        #expect(result.appleLine == chain.line.map { "Trust evaluate failure: \($0)" })
        #expect(result.isTrusted == (chain.line == nil))
    }

    @Test("Rules that are not Apple's leave no line, and no name in one")
    func foreign() throws {
        // A serial number of zero is against RFC 5280 alone.
        let chain = try TestChain(leaf: { $0.serialNumber = DER.integer(0) })
        var trust = try TestTrust.trust(chain)
        trust.profile = .rfc5280Strict
        #expect(trust.evaluate().failure?.primary.check == .certificateProfile)
        #expect(trust.evaluate().appleLine == nil)
        trust.policies = [.tlsServer(hostname: "other.example")]
        #expect(trust.evaluate().appleLine == "Trust evaluate failure: [leaf SSLHostname]")
        #expect(TrustResult.empty(at: Date()).appleLine == nil)
    }
}
