//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// The conditions under which a server's certificate needs timestamps (SecPolicyServer.c `SecPolicyCheckSystemTrustedCTRequired`).
struct TransparencyNeed {
    let certificates: [CertificateView]
    let anchorFingerprint: [UInt8]
    let anchorIsSystem: Bool
    let request: TransparencyRequest
    let time: Timestamp
    let hosts: [String]

    var isNeeded: Bool {
        guard self.request.isEnforced, let leaf = self.certificates.first,
            leaf.notBefore >= self.request.rules.start, leaf.notBefore <= self.time, self.time <= leaf.notAfter
        else { return false }
        return self.isBelowPublicRoot && !self.isExceptedDomain && !self.isExceptedKey
    }

    private var isBelowPublicRoot: Bool {
        guard !self.request.exemptRoots.contains(self.anchorFingerprint) else { return false }
        return switch self.request.publicRoots {
        case .system: self.anchorIsSystem
        case .fingerprints(let fingerprints): fingerprints.contains(self.anchorFingerprint)
        }
    }

    /// `true` if an exception matches a host. `x` matches the name itself. `.x` matches it and all names below, with
    /// any number of labels.
    private var isExceptedDomain: Bool {
        self.hosts.contains { host in
            self.request.exceptedDomains.contains { Self.covers(Array($0.utf8), Array(host.utf8)) }
        }
    }

    private static func covers(_ exception: [UInt8], _ host: [UInt8]) -> Bool {
        let (exception, host) = (exception.map(\.foldedASCII), host.map(\.foldedASCII))
        if exception == host { return true }
        guard exception.first == UInt8(ascii: ".") else { return false }
        return host.suffix(exception.count) == exception[...] || host[...] == exception.dropFirst()
    }

    private var isExceptedKey: Bool {
        guard !self.request.exceptedKeys.isEmpty, let leaf = self.certificates.first else { return false }
        if self.isExcepted(leaf) { return true }
        return self.certificates.dropFirst().contains { authority in
            self.isExcepted(authority)
                && (authority.permitsDirectoriesWithOrganization || authority.hasOrganizations(of: leaf))
        }
    }

    private func isExcepted(_ certificate: CertificateView) -> Bool {
        let key = certificate.bytes.slice(certificate.fields.subjectPublicKeyInfo.whole)
        return self.request.exceptedKeys.contains(Array(SHA256.hash(data: key)))
    }
}

extension CertificateView {
    /// Returns `true` if both subjects have the same values of organizationName, in number and order, and at least one.
    fileprivate func hasOrganizations(of other: CertificateView) -> Bool {
        let own = DistinguishedName.organizations(in: self.fields.subject, of: self.bytes)
        return !own.isEmpty && own == DistinguishedName.organizations(in: other.fields.subject, of: other.bytes)
    }

    /// `true` if a permitted subtree is a directory name with an organization.
    fileprivate var permitsDirectoriesWithOrganization: Bool {
        NameConstraints.permittedDirectories(of: self).contains { name in
            !DistinguishedName.organizations(in: name, of: self.bytes).isEmpty
        }
    }
}
