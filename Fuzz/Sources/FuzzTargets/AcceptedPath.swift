//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

@testable import CertificatePath

/// The rules a path that was accepted must keep, each looked at anew and by itself: what RFC 5280 §6.1 asks of every path
/// under every profile.
struct AcceptedPath {
    private let verdict: Verdict
    private let question: ValidationQuestion

    init(_ verdict: Verdict, _ question: ValidationQuestion) {
        self.verdict = verdict
        self.question = question
    }

    private var path: [CertificateView] { self.verdict.path }
    private var time: Timestamp { self.question.request.time }

    func check(_ findings: inout Findings) {
        self.checkAnchor(&findings)
        let anchorIndex = self.verdict.anchor?.certificate == nil ? self.path.count : self.path.count - 1
        for (index, certificate) in self.path.enumerated() {
            findings.expect(
                certificate.notBefore <= self.time && self.time <= certificate.notAfter, "\(index) is out of date")
            if index < anchorIndex || index == 0 { self.checkForm(certificate, index, &findings) }
            if index > 0, index < anchorIndex { self.checkIssuer(certificate, index, &findings) }
            if index < anchorIndex { self.checkSignature(certificate, index, &findings) }
        }
        self.checkLeaf(&findings)
    }

    private func checkAnchor(_ findings: inout Findings) {
        guard let anchor = self.verdict.anchor else {
            findings.expect(false, "accepted without an anchor")
            return
        }
        findings.expect(self.question.anchors.contains(anchor), "accepted for an anchor that is not trusted")
        if let certificate = anchor.certificate {
            findings.expect(self.path.last == certificate, "a path that does not end in its anchor")
        }
        findings.expect(Set(self.path).count == self.path.count, "a certificate occurs twice")
    }

    private func checkForm(_ certificate: CertificateView, _ index: Int, _ findings: inout Findings) {
        let extensions = certificate.fields.extensions
        findings.expect(extensions.unknownCritical.isEmpty, "\(index) has an unknown critical extension")
        findings.expect(extensions.duplicate.isEmpty, "\(index) has an extension twice")
        findings.expect(!certificate.signatureAlgorithm.digest.isBroken, "\(index) is signed over MD5 or worse")
    }

    private func checkIssuer(_ certificate: CertificateView, _ index: Int, _ findings: inout Findings) {
        let isOld = certificate.version < 3
        findings.expect(
            certificate.isCertificateAuthority || (isOld && self.question.request.profile.name == "apple"),
            "\(index) is no authority")
        findings.expect(certificate.keyUsage?.contains(.keyCertSign) != false, "\(index) may not sign certificates")
        let below = self.path[1..<index].count { !$0.isSelfIssued }
        if let limit = certificate.pathLengthConstraint {
            findings.expect(below <= limit, "\(index) has \(below) intermediates below, and may have \(limit)")
        }
    }

    private func checkSignature(_ certificate: CertificateView, _ index: Int, _ findings: inout Findings) {
        let key: PublicKeySource?
        let issuer: NameSource?
        if index + 1 < self.path.count {
            let above = self.path[index + 1]
            (key, issuer) = (PublicKeySource(above), above.subjectName)
        } else {
            (key, issuer) = (self.verdict.anchor?.key, self.verdict.anchor?.name)
        }
        guard let key, let issuer else { return }
        // Of an anchor, the leaf included, the signature is not looked at.
        findings.expect(certificate.fields.signatureAlgorithmsAgree, "\(index) has two signature algorithms")
        findings.expect(SignatureVerifier.verify(certificate, with: key) == .valid, "\(index) is not signed")
        let chains = DistinguishedName.areEqual(
            certificate.fields.issuer, of: certificate.bytes, issuer.range, of: issuer.bytes)
        findings.expect(chains, "\(index) names another issuer")
    }

    private func checkLeaf(_ findings: inout Findings) {
        let leaf = self.question.leaf
        guard let purpose = self.question.request.purposes.first?.purpose else { return }
        let usages = leaf.extendedKeyUsages.map(\.description)
        let accepted: Set<String> =
            switch purpose {
            case .server:
                ["1.3.6.1.5.5.7.3.1", "2.5.29.37.0", "1.3.6.1.4.1.311.10.3.3", "2.16.840.1.113730.4.1"]
            case .client: ["1.3.6.1.5.5.7.3.2", "2.5.29.37.0"]
            case .any: Set(usages)
            }
        if leaf.has(.extendedKeyUsage) {
            findings.expect(!accepted.isDisjoint(with: usages), "a leaf for another use")
        }
        guard let host = self.question.host else { return }
        let identity = ServerIdentity(host: host, publicSuffixes: nil)
        findings.expect(identity.match(leaf) == .match, "a leaf for another host")
    }
}
