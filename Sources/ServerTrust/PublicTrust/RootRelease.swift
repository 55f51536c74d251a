//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// The roots of one of Apple's releases, with their constraints and policies of extended validation.
struct RootRelease: Sendable {
    /// Every certificate, with or without the use for TLS, by file name.
    let certificates: [Certificate]
    let fingerprints: Set<[UInt8]>
    /// The identifiers of the policies that constrain a root, by its fingerprint.
    let policies: [[UInt8]: Set<String>]
    let extendedValidationPolicies: [[UInt8]: Set<String>]
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

/// The status of roots after a release.
struct RootStatus: Sendable {
    let list: RootStatusList
    /// The certificates that the release lacks.
    let certificates: [Certificate]
    let part: AppleTrustData.Part

    init(_ list: RootStatusList, certificates: [Certificate], _ part: AppleTrustData.Part) {
        self.list = list
        self.certificates = certificates
        self.part = part
    }

    /// Returns the same status with certificates from other data, as a report has none. The report determines their status.
    func knowing(_ others: [Certificate]) -> RootStatus {
        let more = others.filter { !self.certificates.contains($0) && self.list.entries[$0.sha256Fingerprint] != nil }
        return RootStatus(self.list, certificates: self.certificates + more, self.part)
    }

    /// The fingerprints of roots that are not anchors of the program, even if the release has them.
    var excluded: Set<[UInt8]> {
        self.list.fingerprints(.blocked).union(self.list.fingerprints(.removed)).union(
            self.list.fingerprints(.notIncluded))
    }

    /// Returns the included anchors for TLS servers that the release lacks. A release that is newer than the status list is
    /// complete by itself.
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

    /// Returns the blocked roots. Their certificates are from the release and this status, as far as these have them.
    func blockedRoots(with certificates: [Certificate]) -> BlockedRoots {
        let fingerprints = self.list.fingerprints(.blocked)
        guard !fingerprints.isEmpty else { return .dangerouslyNone }
        return BlockedRoots(
            fingerprints: fingerprints,
            certificates: (self.certificates + certificates).map(\.view),
            source: "Common CA Database, Apple Status, as of \(self.part.day)")
    }
}
