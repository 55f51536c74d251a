//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AFNetworkingNames
import AppleSecurity
import Foundation
import ServerTrust
import ServerTrustTesting
import Testing

/// The cases of AFNetworking's AFSecurityPolicyTests, in this package's own words, and what becomes of each by default.
@Suite("AFSecurityPolicy")
struct AFSecurityPolicyTests {
    /// A site below an authority that is trusted, another one, and self-signed servers.
    struct Site: Sendable {
        static let shared = Result { try Site() }
        let root, intermediate, leaf, other: SecCertificate
        let commonNameOnly, named, nameless: SecCertificate

        private init() throws {
            let authority = try TestAuthority()
            let intermediate = try authority.issue(.intermediate())
            func apple(_ certificate: TestCertificate) throws -> SecCertificate {
                try #require(SecCertificateCreateWithData(nil, Data(certificate.der)))
            }
            func selfSigned(_ commonName: String, _ names: [String]) throws -> SecCertificate {
                var description = CertificateDescription.leaf(dnsNames: names)
                description.commonName = commonName
                return try apple(authority.selfSigned(description))
            }
            self.root = try apple(authority.root)
            self.intermediate = try apple(intermediate)
            self.leaf = try apple(authority.issue(.leaf(dnsNames: ["site.example"]), by: intermediate))
            self.other = try apple(authority.issue(.leaf(dnsNames: ["other.example"]), by: intermediate))
            self.commonNameOnly = try selfSigned("foobar.com", [])
            self.named = try selfSigned("named", ["foobar.com"])
            self.nameless = try selfSigned("nameless", [])
        }

        /// The basic rules, as AFNetworking's tests use them. The authority is trusted as a system's.
        func trust(_ server: Server) throws -> SecTrust {
            let certificates: [SecCertificate] =
                switch server {
                case .site: [self.leaf, self.intermediate, self.root]
                case .other: [self.other]
                case .commonNameOnly: [self.commonNameOnly]
                case .named: [self.named]
                case .nameless: [self.nameless]
                }
            return SecTrust(
                try Trust(
                    certificates: certificates.map(\.certificate), policy: .basicX509,
                    configuration: .only([self.root.certificate])))
        }

        func data(_ pins: [Pinned]) -> Set<Data> {
            Set(
                pins.map { pin in
                    switch pin {
                    case .leaf: SecCertificateCopyData(self.leaf)
                    case .intermediate: SecCertificateCopyData(self.intermediate)
                    case .root: SecCertificateCopyData(self.root)
                    case .commonNameOnly: SecCertificateCopyData(self.commonNameOnly)
                    case .named: SecCertificateCopyData(self.named)
                    case .nameless: SecCertificateCopyData(self.nameless)
                    }
                })
        }
    }

    enum Server: Sendable { case site, other, commonNameOnly, named, nameless }
    enum Pinned: Sendable { case leaf, intermediate, root, commonNameOnly, named, nameless }

    struct Row: Sendable, CustomTestStringConvertible {
        let mode: AFSSLPinningMode
        var pins: [Pinned] = []
        var allowsInvalid = false
        var validatesName = true
        var server = Server.site
        var domain: String?
        /// AFNetworking's answer, which its tests demand.
        let like: Bool
        /// The answer by default.
        let secure: Bool

        var testDescription: String {
            "\(self.mode) \(self.pins)\(self.allowsInvalid ? " invalid allowed" : "")\(self.validatesName ? "" : " any name"): \(self.server) as \(self.domain ?? "nil")"
        }

        func policy() throws -> AFSecurityPolicy {
            let policy = AFSecurityPolicy(
                pinningMode: self.mode, withPinnedCertificates: try Site.shared.get().data(self.pins))
            policy.allowInvalidCertificates = self.allowsInvalid
            policy.validatesDomainName = self.validatesName
            return policy
        }
    }

    static let defaults: [Row] = [
        Row(mode: .none, like: true, secure: false),
        Row(mode: .none, domain: "site.example", like: true, secure: true),
        Row(mode: .none, server: .nameless, like: false, secure: false),
        Row(mode: .none, domain: "apple.com", like: false, secure: false),
        Row(mode: .none, validatesName: false, domain: "invalid.org", like: true, secure: true),
        Row(mode: .none, domain: "invalid.org", like: false, secure: false),
        Row(mode: .none, allowsInvalid: true, server: .named, like: true, secure: false),
        Row(
            mode: .none, allowsInvalid: true, validatesName: false, server: .named, domain: "foobar.com", like: true,
            secure: false),
        Row(mode: .none, server: .named, like: false, secure: false),
        Row(
            mode: .none, pins: [.named], allowsInvalid: true, server: .named, domain: "foobar.com", like: false,
            secure: false),
        Row(mode: .none, allowsInvalid: true, server: .named, domain: "foobar.com", like: false, secure: false),
    ]

    /// AFNetworking asks the same of both modes.
    static let pinned: [Row] = [AFSSLPinningMode.publicKey, .certificate].flatMap { mode -> [Row] in
        let accepted: [[Pinned]] = [
            [.leaf], [.intermediate], [.root], [.leaf, .intermediate, .root], [.leaf, .commonNameOnly],
        ]
        return accepted.map { Row(mode: mode, pins: $0, like: true, secure: false) }
            + accepted.map { Row(mode: mode, pins: $0, domain: "site.example", like: true, secure: true) }
            + [
                Row(mode: mode, like: false, secure: false),
                Row(mode: mode, pins: [.leaf], server: .other, like: false, secure: false),
                Row(mode: mode, pins: [.leaf], domain: "invaliddomainname.com", like: false, secure: false),
                Row(mode: mode, pins: [.leaf, .commonNameOnly], server: .other, like: false, secure: false),
            ]
    }

    static let selfSigned: [Row] = [
        // No name is checked, although it is asked for.
        Row(
            mode: .publicKey, pins: [.commonNameOnly], allowsInvalid: true, server: .commonNameOnly,
            domain: "foobar.com", like: true, secure: false),
        Row(
            mode: .publicKey, pins: [.named], allowsInvalid: true, server: .named, domain: "foobar.com", like: true,
            secure: true),
        Row(
            mode: .publicKey, pins: [.named], allowsInvalid: true, server: .named, domain: "other.example", like: true,
            secure: false),
        Row(mode: .publicKey, allowsInvalid: true, server: .named, domain: "foobar.com", like: false, secure: false),
        Row(
            mode: .certificate, pins: [.nameless], allowsInvalid: true, server: .nameless, domain: "foobar.com",
            like: false, secure: false),
        Row(
            mode: .certificate, pins: [.named], allowsInvalid: true, server: .named, domain: "foobar.com", like: true,
            secure: true),
    ]

    @Test("AFNetworking's answers are there by a name that says so", arguments: defaults + pinned + selfSigned)
    func likeAFNetworking(row: Row) throws {
        let policy = try row.policy()
        policy.semantics = .dangerouslyLikeAFNetworking
        #expect(policy.evaluateServerTrust(try Site.shared.get().trust(row.server), forDomain: row.domain) == row.like)
    }

    @Test(
        "By default a policy means what it says, and never trusts what AFNetworking refuses",
        arguments: defaults + pinned + selfSigned)
    func secure(row: Row) throws {
        let policy = try row.policy()
        #expect(!row.secure || row.like)
        let trust = try Site.shared.get().trust(row.server)
        #expect(policy.evaluateServerTrust(trust, forDomain: row.domain) == row.secure)
        guard !row.secure else { return }
        let error = #expect(throws: (any Error).self) { try policy.verify(trust, forDomain: row.domain) }
        #expect(error.map { "\($0)" }?.isEmpty == false)
    }

    @Test("The settings are AFNetworking's by default")
    func settings() throws {
        let policy = AFSecurityPolicy.default()
        #expect(policy.sslPinningMode == .none && policy.sslPinningMode.rawValue == 0)
        #expect(!policy.allowInvalidCertificates)
        #expect(policy.validatesDomainName)
        #expect(policy.pinnedCertificates?.isEmpty == true)
        #expect(policy.semantics == .secure)
        #expect(AFSSLPinningMode.publicKey.rawValue == 1 && AFSSLPinningMode.certificate.rawValue == 2)
    }

    @Test("A policy without pins where it needs some trusts no server: those of a bundle without certificates, and nil")
    func noPins() throws {
        for policy in [AFSecurityPolicy(pinningMode: .publicKey), AFSecurityPolicy(pinningMode: .certificate)] {
            #expect(!policy.evaluateServerTrust(try Site.shared.get().trust(.site), forDomain: "site.example"))
            policy.pinnedCertificates = nil
            #expect(!policy.evaluateServerTrust(try Site.shared.get().trust(.site), forDomain: "site.example"))
        }
    }

    @Test("A pin that is no certificate trusts no server, beside good ones too")
    func junk() throws {
        let site = try Site.shared.get()
        let policy = AFSecurityPolicy(
            pinningMode: .certificate, withPinnedCertificates: site.data([.leaf]).union([Data([1])]))
        #expect(!policy.evaluateServerTrust(try site.trust(.site), forDomain: "site.example"))
        policy.semantics = .dangerouslyLikeAFNetworking
        #expect(!policy.evaluateServerTrust(try site.trust(.site), forDomain: "site.example"))
    }

    @Test("Evaluating sets nothing in the trust of the caller")
    func unchanged() throws {
        let site = try Site.shared.get()
        let trust = try site.trust(.site)
        let policy = AFSecurityPolicy(pinningMode: .certificate, withPinnedCertificates: site.data([.leaf]))
        #expect(policy.evaluateServerTrust(trust, forDomain: "site.example"))
        var policies: CFArray?
        #expect(SecTrustCopyPolicies(trust, &policies) == errSecSuccess)
        #expect(policies as? [SecPolicy] == [SecPolicyCreateBasicX509()])
        #expect(trust.trust.anchors == .only([site.root.certificate]))
    }

    @Test("The certificates of a bundle are its files, and none where one cannot be read")
    func bundles() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).bundle")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let data = SecCertificateCopyData(try Site.shared.get().leaf)
        try data.write(to: folder.appendingPathComponent("a.cer"))
        let bundle = try #require(Bundle(path: folder.path))
        #expect(AFSecurityPolicy.certificates(in: bundle) == [data])
        try Data([1]).write(to: folder.appendingPathComponent("b.cer"))
        #expect(AFSecurityPolicy.certificates(in: bundle).isEmpty)
    }

    // MARK: Copies and archives

    private func policy() throws -> AFSecurityPolicy {
        let policy = AFSecurityPolicy(
            pinningMode: .certificate, withPinnedCertificates: try Site.shared.get().data([.leaf, .root]))
        policy.allowInvalidCertificates = true
        policy.validatesDomainName = false
        return policy
    }

    private func expectEqual(_ left: AFSecurityPolicy, _ right: AFSecurityPolicy) {
        #expect(left !== right)
        #expect(left.sslPinningMode == right.sslPinningMode)
        #expect(left.allowInvalidCertificates == right.allowInvalidCertificates)
        #expect(left.validatesDomainName == right.validatesDomainName)
        #expect(left.pinnedCertificates == right.pinnedCertificates)
    }

    @Test("A copy has the same settings")
    func copies() throws {
        let policy = try self.policy()
        self.expectEqual(try #require(policy.copy() as? AFSecurityPolicy), policy)
    }

    @Test("A policy comes out of an archive as it went in, but secure")
    func archives() throws {
        let policy = try self.policy()
        policy.semantics = .dangerouslyLikeAFNetworking
        let data = try NSKeyedArchiver.archivedData(withRootObject: policy, requiringSecureCoding: true)
        let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: AFSecurityPolicy.self, from: data))
        self.expectEqual(read, policy)
        #expect(read.semantics == .secure)
    }

    @Test(
        "A policy that lost its pins or a setting does not come out of an archive",
        arguments: ["SSLPinningMode", "pinnedCertificates", "allowInvalidCertificates", "validatesDomainName"])
    func damagedArchives(key: String) throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        let values: [String: () -> Void] = [
            "SSLPinningMode": { archiver.encode(1, forKey: "SSLPinningMode") },
            "pinnedCertificates": { archiver.encode([Data([1])] as NSArray, forKey: "pinnedCertificates") },
            "allowInvalidCertificates": { archiver.encode(false, forKey: "allowInvalidCertificates") },
            "validatesDomainName": { archiver.encode(true, forKey: "validatesDomainName") },
        ]
        for (name, encode) in values where name != key { encode() }
        archiver.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        unarchiver.requiresSecureCoding = true
        #expect(AFSecurityPolicy(coder: unarchiver) == nil)
    }
}
