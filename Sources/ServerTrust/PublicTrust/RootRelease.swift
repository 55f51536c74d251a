//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// The roots of one of Apple's releases, what they are constrained to, and what means extended validation below them.
struct RootRelease: Sendable {
    /// Every certificate, TLS or not, by file name.
    let certificates: [Certificate]
    let fingerprints: Set<[UInt8]>
    /// The identifiers of the policies that a root is constrained to, by its fingerprint.
    let policies: [[UInt8]: Set<String>]
    let extendedValidationPolicies: [[UInt8]: Set<String>]
    /// The anchors for TLS servers, by the release alone.
    let serverRoots: [Certificate]
    let part: AppleTrustData.Part

    init(
        _ certificates: [Certificate], policies: [[UInt8]: Set<String>],
        extendedValidationPolicies: [[UInt8]: Set<String>], _ part: AppleTrustData.Part
    ) {
        let program = RootProgram(roots: Set(certificates.map(\.sha256Fingerprint)), policies: policies)
        self.init(
            certificates, serverRoots: certificates.filter { program.admits($0, for: .tlsServer) }, program,
            extendedValidationPolicies: extendedValidationPolicies, part: part)
    }

    init(
        _ certificates: [Certificate], serverRoots: [Certificate], _ program: RootProgram,
        extendedValidationPolicies: [[UInt8]: Set<String>], part: AppleTrustData.Part
    ) {
        self.certificates = certificates
        self.fingerprints = program.roots
        self.policies = program.policies
        self.extendedValidationPolicies = extendedValidationPolicies
        self.serverRoots = serverRoots
        self.part = part
    }
}

/// What has become of roots since a release.
struct RootStatus: Sendable {
    let list: RootStatusList
    /// Certificates that the release does not have.
    let certificates: [Certificate]
    let part: AppleTrustData.Part

    init(_ list: RootStatusList, certificates: [Certificate], _ part: AppleTrustData.Part) {
        self.list = list
        self.certificates = certificates
        self.part = part
    }

    /// The same with certificates from elsewhere, as a report has none: what becomes of each, the report says.
    func knowing(_ others: [Certificate]) -> RootStatus {
        let more = others.filter { !self.certificates.contains($0) && self.list.entries[$0.sha256Fingerprint] != nil }
        return RootStatus(self.list, certificates: self.certificates + more, self.part)
    }

    /// The fingerprints of those that are no anchors of the program, whatever the release says.
    var excluded: Set<[UInt8]> {
        self.list.fingerprints(.blocked).union(self.list.fingerprints(.removed)).union(
            self.list.fingerprints(.notIncluded))
    }

    /// The anchors for TLS servers that are included and that the release does not have. A release that is newer than the status
    /// says by itself which there are.
    func additionalRoots(besides release: RootRelease) -> [Certificate] {
        guard self.part.date >= release.part.date else { return [] }
        return self.certificates.filter { certificate in
            let fingerprint = certificate.sha256Fingerprint
            guard let entry = self.list.entries[fingerprint], !release.fingerprints.contains(fingerprint) else {
                return false
            }
            return entry.status == .included && entry.servesServers && certificate.isSelfSigned
        }
    }

    /// The roots that are blocked, of which the release and this list may have the certificates.
    func blockedRoots(with certificates: [Certificate]) -> BlockedRoots {
        let fingerprints = self.list.fingerprints(.blocked)
        guard !fingerprints.isEmpty else { return .dangerouslyNone }
        return BlockedRoots(
            fingerprints: fingerprints,
            certificates: (self.certificates + certificates).map(\.view),
            source: "Common CA Database, Apple Status, as of \(self.part.day)")
    }
}
