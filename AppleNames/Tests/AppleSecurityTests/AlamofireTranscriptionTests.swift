//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleSecurity
import Foundation
import Testing

/// The calls that Alamofire's evaluators make, and the cases of its ServerTrustEvaluatorTests, in this package's own words.
@Suite("Alamofire's evaluators, call by call")
struct AlamofireTranscriptionTests {
    @Test("A chain is judged as Alamofire's own tests expect", arguments: basic + byDefault + revocation)
    func judged(row: Row) throws { try row.check() }

    @Test("Certificates are pinned as Alamofire's own tests expect", arguments: certificates)
    func pinned(row: Row) throws { try row.check() }

    @Test("Keys are pinned as Alamofire's own tests expect", arguments: keys)
    func pinnedKeys(row: Row) throws { try row.check() }

    // MARK: Rows

    struct Row: Sendable, CustomTestStringConvertible {
        let evaluator: Evaluator
        let chain: Chain
        var isAnchored = true
        let isTrusted: Bool

        var testDescription: String {
            "\(self.evaluator), \(self.chain)\(self.isAnchored ? "" : ", no anchor"): \(self.isTrusted ? "trusted" : "refused")"
        }

        func check() throws {
            let fixture = try Fixture.shared.get()
            let trust = try question(self.chain.certificates(fixture), SecPolicyCreateBasicX509())
            if self.isAnchored {
                #expect(SecTrustSetAnchorCertificates(trust, [fixture.root] as CFArray) == errSecSuccess)
                #expect(SecTrustSetAnchorCertificatesOnly(trust, true) == errSecSuccess)
            }
            let error = #expect(
                throws: (any Error).self,
                performing: {
                    try self.evaluator.evaluate(trust, forHost: Fixture.host, fixture)
                    throw Passed()
                })
            #expect((error is Passed) == self.isTrusted, "\(error.map { "\($0)" } ?? "")")
        }
    }

    struct Passed: Error {}

    /// The chain that the server sends.
    enum Chain: String, Sendable {
        case valid, wildcard, several, nameless, expired
        case validWithoutRoot, validWithoutIntermediate, validWithAnotherIntermediate

        func certificates(_ fixture: Fixture) -> [SecCertificate] {
            switch self {
            case .valid: fixture.chain
            case .wildcard: [fixture.wildcard, fixture.first, fixture.root]
            case .several: [fixture.several, fixture.first, fixture.root]
            case .nameless: [fixture.nameless, fixture.second, fixture.root]
            case .expired: [fixture.expired, fixture.second, fixture.root]
            case .validWithoutRoot: [fixture.valid, fixture.second]
            case .validWithoutIntermediate: [fixture.valid, fixture.root]
            case .validWithAnotherIntermediate: [fixture.valid, fixture.first, fixture.root]
            }
        }
    }

    /// The pinned certificates or keys.
    enum Pinned: String, Sendable {
        case leaf, intermediate, root, otherLeaf, otherIntermediate, expired, several

        func certificates(_ fixture: Fixture) -> [SecCertificate] {
            switch self {
            case .leaf: [fixture.valid]
            case .intermediate: [fixture.second]
            case .root: [fixture.root]
            case .otherLeaf: [fixture.neighbor]
            case .otherIntermediate: [fixture.first]
            case .expired: [fixture.expired]
            case .several: [fixture.several, fixture.stranger, fixture.expired, fixture.valid, fixture.wildcard]
            }
        }
    }

    /// Alamofire's evaluators.
    enum Evaluator: Sendable, CustomStringConvertible {
        case policies([Policy])
        case standard(host: Bool)
        case revocation(host: Bool)
        case certificates(Pinned, selfSigned: Bool = false, standard: Bool = true, host: Bool = true)
        case keys(Pinned, standard: Bool = true, host: Bool = true)

        enum Policy: Sendable { case basic, host(String), anyHost }

        var description: String {
            switch self {
            case .policies(let policies): "\(policies)"
            case .standard(let host): "default\(host ? " with host" : "")"
            case .revocation(let host): "revocation\(host ? " with host" : "")"
            case .certificates(let pinned, let selfSigned, let standard, let host):
                "certificate \(pinned)\(selfSigned ? " as anchor" : "")\(standard ? "" : " alone")\(host ? " with host" : "")"
            case .keys(let pinned, let standard, let host):
                "key of \(pinned)\(standard ? "" : " alone")\(host ? " with host" : "")"
            }
        }
    }

    typealias Policies = [Evaluator.Policy]

    static let several: Policies = [.host(Fixture.host), .host("blog.example.org"), .host("www.example.org")]

    static let basic: [Row] = [
        Row(evaluator: .policies([.basic]), chain: .valid, isTrusted: true),
        Row(evaluator: .policies([.basic]), chain: .validWithoutRoot, isTrusted: true),
        Row(evaluator: .policies([.basic]), chain: .nameless, isTrusted: true),
        Row(evaluator: .policies([.basic]), chain: .expired, isTrusted: false),
        Row(evaluator: .policies([.host(Fixture.host)]), chain: .valid, isTrusted: true),
        Row(evaluator: .policies([.host(Fixture.host)]), chain: .validWithoutRoot, isTrusted: true),
        Row(evaluator: .policies([.host(Fixture.host)]), chain: .nameless, isTrusted: false),
        Row(evaluator: .policies([.host(Fixture.host)]), chain: .wildcard, isTrusted: true),
        Row(evaluator: .policies(several), chain: .several, isTrusted: true),
        Row(evaluator: .policies(several), chain: .valid, isTrusted: false),
        Row(evaluator: .policies([.anyHost]), chain: .nameless, isTrusted: true),
        Row(evaluator: .policies([.host(Fixture.host)]), chain: .expired, isTrusted: false),
    ]

    static let byDefault: [Row] = [
        Row(evaluator: .standard(host: false), chain: .valid, isTrusted: true),
        Row(evaluator: .standard(host: false), chain: .validWithoutRoot, isAnchored: false, isTrusted: false),
        Row(evaluator: .standard(host: false), chain: .nameless, isTrusted: true),
        Row(evaluator: .standard(host: false), chain: .expired, isTrusted: false),
        Row(evaluator: .standard(host: false), chain: .validWithoutIntermediate, isTrusted: false),
        Row(evaluator: .standard(host: false), chain: .validWithAnotherIntermediate, isTrusted: false),
        Row(evaluator: .standard(host: true), chain: .valid, isTrusted: true),
        Row(evaluator: .standard(host: true), chain: .validWithoutRoot, isAnchored: false, isTrusted: false),
        Row(evaluator: .standard(host: true), chain: .nameless, isTrusted: false),
        Row(evaluator: .standard(host: true), chain: .wildcard, isTrusted: true),
        Row(evaluator: .standard(host: true), chain: .expired, isTrusted: false),
        Row(evaluator: .standard(host: true), chain: .validWithoutIntermediate, isTrusted: false),
    ]

    static let revocation: [Row] = byDefault.map { row in
        guard case .standard(let host) = row.evaluator else { return row }
        return Row(
            evaluator: .revocation(host: host), chain: row.chain, isAnchored: row.isAnchored, isTrusted: row.isTrusted)
    }

    static let certificates: [Row] =
        [false, true].flatMap { host -> [Row] in
            [
                Row(
                    evaluator: .certificates(.otherLeaf, host: host), chain: .valid, isAnchored: false, isTrusted: false
                ),
                Row(
                    evaluator: .certificates(.otherIntermediate, host: host), chain: .valid, isAnchored: false,
                    isTrusted: false),
                Row(
                    evaluator: .certificates(.expired, host: host), chain: .expired, isAnchored: false, isTrusted: false
                ),
                Row(
                    evaluator: .certificates(.intermediate, host: host), chain: .expired, isAnchored: false,
                    isTrusted: false),
                Row(
                    evaluator: .certificates(.expired, selfSigned: true, host: host), chain: .expired,
                    isAnchored: false, isTrusted: false),
            ]
        }
        + [Pinned.leaf, .intermediate, .root].flatMap { pinned -> [Row] in
            [
                Row(
                    evaluator: .certificates(pinned, selfSigned: true), chain: .valid, isAnchored: false,
                    isTrusted: true),
                Row(evaluator: .certificates(pinned), chain: .valid, isTrusted: true),
                Row(evaluator: .certificates(pinned), chain: .valid, isAnchored: false, isTrusted: false),
                Row(
                    evaluator: .certificates(pinned, standard: false, host: false), chain: .valid, isAnchored: false,
                    isTrusted: true),
            ]
        }
        + [
            Row(
                evaluator: .certificates(.otherLeaf, standard: false, host: false), chain: .valid, isAnchored: false,
                isTrusted: false),
            Row(
                evaluator: .certificates(.otherIntermediate, standard: false, host: false), chain: .valid,
                isAnchored: false, isTrusted: false),
            Row(
                evaluator: .certificates(.expired, standard: false, host: false), chain: .expired, isAnchored: false,
                isTrusted: true),
            Row(
                evaluator: .certificates(.intermediate, standard: false, host: false), chain: .expired,
                isAnchored: false, isTrusted: true),
            Row(
                evaluator: .certificates(.root, standard: false, host: false), chain: .expired, isAnchored: false,
                isTrusted: true),
            Row(
                evaluator: .certificates(.several, standard: false, host: false), chain: .expired, isAnchored: false,
                isTrusted: true),
            // A root that was sent and leads nowhere is no part of the path.
            Row(
                evaluator: .certificates(.root, standard: false, host: false), chain: .validWithoutIntermediate,
                isAnchored: false, isTrusted: false),
            Row(
                evaluator: .certificates(.leaf, selfSigned: true), chain: .validWithoutIntermediate, isAnchored: false,
                isTrusted: true),
        ]

    static let keys: [Row] =
        [false, true].flatMap { host -> [Row] in
            [Pinned.leaf, .intermediate, .root, .several].map { pinned in
                Row(evaluator: .keys(pinned, host: host), chain: .valid, isTrusted: true)
            } + [
                Row(evaluator: .keys(.otherLeaf, host: host), chain: .valid, isTrusted: false),
                Row(evaluator: .keys(.leaf, host: host), chain: .validWithoutRoot, isAnchored: false, isTrusted: false),
                Row(evaluator: .keys(.expired, host: host), chain: .expired, isTrusted: false),
            ]
        }
        + [Pinned.leaf, .intermediate, .root].map { pinned in
            Row(
                evaluator: .keys(pinned, standard: false, host: false), chain: .valid, isAnchored: false,
                isTrusted: true)
        }
        + [
            Row(evaluator: .keys(.otherLeaf, standard: false, host: false), chain: .valid, isTrusted: false),
            Row(evaluator: .keys(.expired, standard: false, host: false), chain: .expired, isTrusted: true),
            Row(evaluator: .keys(.intermediate, standard: false, host: false), chain: .expired, isTrusted: true),
            Row(evaluator: .keys(.root, standard: false, host: false), chain: .expired, isTrusted: true),
            Row(
                evaluator: .keys(.leaf, standard: false, host: false), chain: .validWithoutIntermediate, isTrusted: true
            ),
            Row(
                evaluator: .keys(.root, standard: false, host: false), chain: .validWithoutIntermediate,
                isTrusted: false),
        ]
}

// MARK: - The calls

extension AlamofireTranscriptionTests.Evaluator {
    struct Refused: Error {}

    func evaluate(_ trust: SecTrust, forHost host: String, _ fixture: Fixture) throws {
        switch self {
        case .policies(let policies):
            try self.evaluate(trust, under: policies.map(\.policy) as CFTypeRef)
        case .standard(let validatesHost):
            try self.validate(trust, standard: true, host: validatesHost ? host : nil)
        case .revocation(let validatesHost):
            try self.validate(trust, standard: true, host: validatesHost ? host : nil)
            let any = kSecRevocationUseAnyAvailableMethod
            guard let policy = SecPolicyCreateRevocation(any | kSecRevocationNetworkAccessDisabled) else {
                throw Refused()
            }
            try self.evaluate(trust, under: policy)
        case .certificates(let pinned, let selfSigned, let standard, let validatesHost):
            let certificates = pinned.certificates(fixture)
            if selfSigned {
                guard SecTrustSetAnchorCertificates(trust, certificates as CFArray) == errSecSuccess,
                    SecTrustSetAnchorCertificatesOnly(trust, true) == errSecSuccess
                else { throw Refused() }
            }
            try self.validate(trust, standard: standard, host: validatesHost ? host : nil)
            let server = Set(self.chain(of: trust).map { SecCertificateCopyData($0) as Data })
            guard !server.isDisjoint(with: certificates.map { SecCertificateCopyData($0) as Data }) else {
                throw Refused()
            }
        case .keys(let pinned, let standard, let validatesHost):
            try self.validate(trust, standard: standard, host: validatesHost ? host : nil)
            let pins = try pinned.certificates(fixture).map { try self.key(of: $0) }
            guard try self.chain(of: trust).contains(where: { pins.contains(try self.key(of: $0)) }) else {
                throw Refused()
            }
        }
    }

    private func validate(_ trust: SecTrust, standard: Bool, host: String?) throws {
        if standard { try self.evaluate(trust, under: SecPolicyCreateSSL(true, nil)) }
        if let host { try self.evaluate(trust, under: SecPolicyCreateSSL(true, host as CFString)) }
    }

    private func evaluate(_ trust: SecTrust, under policies: CFTypeRef) throws {
        guard SecTrustSetPolicies(trust, policies) == errSecSuccess else { throw Refused() }
        var error: CFError?
        guard SecTrustEvaluateWithError(trust, &error) else { throw error ?? Refused() }
        var result = SecTrustResultType.invalid
        guard SecTrustEvaluate(trust, &result) == errSecSuccess, result == .unspecified else { throw Refused() }
    }

    private func chain(of trust: SecTrust) -> [SecCertificate] {
        (SecTrustCopyCertificateChain(trust) as? [SecCertificate]) ?? []
    }

    /// Alamofire asks a question about the certificate alone, and never evaluates it.
    private func key(of certificate: SecCertificate) throws -> SecKey {
        var trust: SecTrust?
        let status = SecTrustCreateWithCertificates(certificate, SecPolicyCreateBasicX509(), &trust)
        guard let created = trust, status == errSecSuccess, let key = SecTrustCopyKey(created) else { throw Refused() }
        return key
    }
}

extension AlamofireTranscriptionTests.Evaluator.Policy {
    fileprivate var policy: SecPolicy {
        switch self {
        case .basic: SecPolicyCreateBasicX509()
        case .host(let name): SecPolicyCreateSSL(true, name as CFString)
        case .anyHost: SecPolicyCreateSSL(true, nil)
        }
    }
}
