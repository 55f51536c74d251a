//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust
import TestSupport
import Testing

extension FaultScene {
    /// The actions that other tests follow, or that no program can follow here.
    static let notFollowed: Set<TrustRemedy.Action> = [
        // Tests of their own have a server to fetch from, and a root of version 1.
        .fetchIssuer, .acceptOldIssuers,
        // A caller's policy is no option of the command.
        .changePolicy,
        // The remedy says to mend the other faults, which the other reasons do.
        .mendOthers,
    ]

    /// The scene after one action of a remedy, in which nothing changes that the remedy and what is required do not name.
    func following(_ reason: ToldReason, _ action: TrustRemedy.Action) throws -> FaultScene {
        var scene = self
        switch action {
        case .renew, .reissue, .makeKey: try scene.reissue(reason)
        case .installAgain: try scene.reissue(at: reason.certificateIndex) { $0.signWell() }
        case .useOtherAuthority, .useOtherIssuer:
            if reason.remedy.contains("with clientAuth") { try scene.reissue(reason) }
            try scene.useOtherAuthority(below: Self.trusted(in: self.roots))
        case .useOtherRoot: try scene.useOtherRoot()
        case .sendIntermediate: scene.chain = try [self.chain[0]] + self.intermediates(named: reason.required)
        case .changeChain: try scene.changeChain(reason)
        case .trustRoot: try scene.trustRoot(reason)
        case .useOtherName: scene.host = try #require(Self.name(in: reason.found), "\(reason.found)")
        case .setClock: scene.moment = try #require(Self.moment(in: reason.found), "\(reason.found)")
        case .updatePins: try scene.writePin(reason)
        case .giveStatus: try scene.giveStatus(about: reason.certificateIndex)
        case .staple: try scene.staple()
        default: Issue.record("\(action) is not followed")
        }
        return scene
    }

    /// Returns `true` if another authority's certificate stands in the place of an intermediate, so that its faults are gone.
    func hasReplaced(_ index: Int, of old: FaultScene) -> Bool {
        guard index > 0, let certificate = try? self.certificate(at: index),
            let before = try? old.certificate(at: index)
        else { return false }
        return certificate.subjectSummary != before.subjectSummary
    }

    // MARK: Certificates

    /// The certificate at a position of the path, the root included.
    private func certificate(at index: Int) throws -> CertificateView {
        if self.chain.indices.contains(index) { return self.chain[index] }
        return try #require(self.roots.first)
    }

    /// Has the certificate at a position issued again by its own authority, with one change.
    private mutating func reissue(
        at index: Int, _ change: (inout CraftedCertificate) throws -> Void
    ) throws {
        let old = try self.certificate(at: index)
        var new = try CraftedCertificate(copying: old, signer: self.signer(of: old))
        try change(&new)
        let view = try new.view()
        if self.chain.indices.contains(index) { self.chain[index] = view }
        // Who trusts the old root trusts the new one in its place.
        self.roots = self.roots.map { $0 == old ? view : $0 }
    }

    private mutating func reissue(_ reason: ToldReason) throws {
        let index = reason.certificateIndex
        if reason.remedy.contains("have the server staple the OCSP response") { try self.staple() }
        if reason.remedy.contains("have it staple none"), let old = self.arguments.firstIndex(of: "--ocsp") {
            self.arguments.removeSubrange(old...old + 1)
        }
        if reason.remedy.contains("with a policy in common") {
            for position in self.chain.indices { try self.reissue(at: position) { $0.set(.policies(["1.2.3"])) } }
            return
        }
        if let constraint = reason.remedy.firstMatch(of: /write its constraint as ([a-z.]+):/) {
            let domain = String(constraint.1)
            return try self.reissue(at: index + 1) { $0.set(.nameConstraints(permitted: [.dns(domain)])) }
        }
        if reason.remedy.contains("that issuer's certificate issued again without it") {
            return try self.reissue(at: index + 1) { $0.remove("2.5.29.30") }
        }
        if reason.remedy.contains("for names that the issuer may vouch for") {
            self.host = "www.example.org"
        }
        let (host, issuer) = (self.host, try self.issuer(of: self.certificate(at: index)))
        try self.reissue(at: index) { certificate in
            try ReissueRemedy(reason: reason, host: host, issuer: issuer).apply(to: &certificate)
        }
    }

    private func issuer(of certificate: CertificateView) throws -> CertificateView? {
        (self.chain + self.roots).first {
            $0.fingerprint != certificate.fingerprint && certificate.isIssued(byNameOf: $0)
        }
            ?? (self.chain + self.roots).first { certificate.isIssued(byNameOf: $0) }
    }

    /// The key of the issuer, which authorities keep.
    private func signer(of certificate: CertificateView) throws -> TestKey {
        let issuer = try self.issuer(of: certificate)
        let known = Self.keys.first { $0.info == issuer?.subjectPublicKeyInfo }
        return try #require(known ?? Self.authorities.first { certificate.isIssued(byName: $0.name) }?.key)
    }

    private static let authorities = [Self.root, Self.issuer, Self.second, Self.other, Self.newRoot]
    private static let other = CraftedAuthority("Fault Other CA", .p256(320))
    private static let newRoot = CraftedAuthority("Fault New Root", .p256(321))
    private static let keys: [TestKey] =
        [.rsa2048, .rsa1024, .ed25519(7)] + [301, 302, 303, 310, 320, 321, 395, 397, 398, 399].map(TestKey.p256)

    /// The authority whose root is trusted.
    private static func trusted(in roots: [CertificateView]) -> CraftedAuthority {
        let all = [
            Self.newRoot, Self.root, CraftedAuthority("Other Root", .p256(399)),
            CraftedAuthority("Old Root", .p256(397)),
        ]
        return all.first { authority in roots.contains { $0.subjectPublicKeyInfo == authority.key.info } } ?? Self.root
    }

    /// Gets the same certificate from another authority below a root that is trusted.
    private mutating func useOtherAuthority(below root: CraftedAuthority) throws {
        var leaf = try CraftedCertificate(copying: self.chain[0], signer: Self.other.key)
        leaf.issuer = Self.other.name
        leaf.set(.authorityKeyIdentifier(Self.other.key.identifier))
        leaf.signWell()
        self.chain = [try leaf.view(), try root.authority(Self.other)]
    }

    /// Gets the same certificate below another root, and trusts that root.
    private mutating func useOtherRoot() throws {
        self.roots = [try Self.newRoot.authority()]
        try self.useOtherAuthority(below: Self.newRoot)
    }

    // MARK: The chain and the roots

    private func intermediates(named required: String) throws -> [CertificateView] {
        try required.contains("CN=Fault Issuing CA") || self.chain.count == 1
            ? [Self.root.authority(Self.issuer)] : Array(self.chain.dropFirst())
    }

    private mutating func changeChain(_ reason: ToldReason) throws {
        let index = reason.certificateIndex
        if reason.remedy.contains("Have the server leave it out") {
            let left = self.chain.remove(at: index)
            self.roots += self.chain.filter { $0.isSelfIssued && $0.subjectPublicKeyInfo == left.subjectPublicKeyInfo }
            return
        }
        if reason.remedy.contains("Send fewer intermediates") {
            self.chain = [self.chain[0], try Self.root.authority(Self.issuer)]
            return
        }
        if reason.remedy.contains("send the issuer with the subject key identifier that the certificate names") {
            let named = try #require(self.chain[index].authorityKeyIdentifier)
            return try self.reissue(at: index + 1) { $0.set(.subjectKeyIdentifier(named)) }
        }
        try self.reissue(at: index) { certificate in
            if reason.remedy.contains("signed over SHA-256") { return certificate.signWell() }
            try #require(
                ["current intermediate", "intermediate that is valid now"].contains(where: reason.remedy.contains))
            certificate.notBefore = DER.utcTime("260101000000Z")
            certificate.notAfter = DER.utcTime("300101000000Z")
        }
    }

    private mutating func trustRoot(_ reason: ToldReason) throws {
        if reason.remedy.contains("Have the server leave it out") { return try self.changeChain(reason) }
        if reason.remedy.contains("trust one of the upper ones as an anchor") {
            return self.roots.append(self.chain[5])
        }
        if reason.remedy.contains("trust the new one in place of this one") { return try self.reissue(reason) }
        let sent = self.chain.filter(\.isSelfIssued)
        self.roots += sent.isEmpty ? [try Self.root.authority()] : sent
    }

    // MARK: The question

    private static func name(in found: String) -> String? {
        found.firstMatch(of: /[a-z*]+\.example\.com/).map { String($0.output).replacing("*", with: "www") }
    }

    /// A moment inside of what the certificate allows, and not near its end.
    private static func moment(in found: String) -> String? {
        if let start = found.firstMatch(of: /valid from (\d+-\d+)-01/) { return "\(start.1)-02T00:00:00Z" }
        return found.firstMatch(of: /valid until (\d+-\d+)-/).map { "\($0.1)-02T00:00:00Z" }
    }

    /// Puts the pin that the text has into the place of the one in the file.
    private mutating func writePin(_ reason: ToldReason) throws {
        let text = reason.remedy.contains("sha256/") ? reason.remedy : reason.found
        let pin = try #require(text.firstMatch(of: Self.pin), "\(text)").output
        let file = String(decoding: self.files["pins.json"] ?? [], as: UTF8.self)
        self.files["pins.json"] = Array(file.replacing(Self.pin, with: pin).utf8)
    }

    private static var pin: Regex<Substring> { /sha256\/[A-Za-z0-9+\/]{43}=/ }

    /// Gives a current list about the certificate at a position, in place of what did not count.
    private mutating func giveStatus(about index: Int) throws {
        let list = try TestRevocationList(index == 0 ? Self.issuer : Self.root).view()
        self.files["new\(index).crl"] = list.bytes
        let old = self.arguments.firstIndex(of: "--ocsp")
        if let old { self.arguments.removeSubrange(old...old + 1) }
        self.arguments += ["--crl", "@new\(index).crl"]
    }

    private mutating func staple() throws {
        var response = TestOCSPResponse(signer: Self.issuer.key)
        let serial = DER.element(0x02, self.chain[0].serialNumber)
        (response.serial, response.issuerName, response.issuerKey) = (serial, Self.issuer.name, Self.issuer.key)
        if let old = self.arguments.firstIndex(of: "--ocsp") { self.arguments.removeSubrange(old...old + 1) }
        self.files["staple.ocsp"] = try response.view().bytes
        self.arguments += ["--ocsp", "@staple.ocsp"]
    }
}
