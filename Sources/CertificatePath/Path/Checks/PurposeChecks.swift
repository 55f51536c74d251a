//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The rules for the purposes of a path.
extension PathChecks {
    mutating func check(_ requirement: PurposeRequirement) {
        guard let leaf = self.certificates.first else { return }
        self.checkExtendedKeyUsage(requirement)
        let missing = requirement.keyUsage.subtracting(leaf.keyUsage ?? requirement.keyUsage)
        if !missing.isEmpty { self.reject(.keyUsage(missing: missing), at: 0) }
        if requirement.purpose == .server {
            self.checkServerAuthentication(leaf)
            self.checkLifetime(of: leaf)
        }
        for pins in requirement.pins where pins.comparison == .duringSearch { self.check(pins) }
    }

    /// Checks the names for all purposes together, and once for all paths, because a leaf may have very many names.
    mutating func checkIdentities(of leaf: CertificateView) {
        if self.leaf.identities == nil {
            var identities = self.request.purposes.flatMap(\.identities)
            if identities.count > 1 {
                var seen: Set<IdentityRequirement> = []
                identities.removeAll { !seen.insert($0).inserted }
            }
            self.leaf.identities = identities.compactMap { self.mismatch($0, of: leaf) }
        }
        self.reject(self.leaf.identities ?? [])
    }

    private func mismatch(_ requirement: IdentityRequirement, of leaf: CertificateView) -> Rejection? {
        let suffixes = self.request.publicSuffixes
        let identity =
            switch requirement {
            case .identity(let name): ServerIdentity(name, publicSuffixes: suffixes)
            case .unmatchable(let text): ServerIdentity(host: text, publicSuffixes: suffixes)
            }
        guard case .mismatch(let presented) = identity.match(leaf) else { return nil }
        return Rejection(
            .nameMismatch(
                reference: requirement.description, presented: presented, invalid: identity.invalidReference), at: 0)
    }

    // MARK: Extended key usage

    /// Checks the extended key usages. The leaf, and every intermediate with the extension, must allow the purpose.
    /// The anchor is not checked (SecPolicyServer.c `SecPolicyCheckExtendedKeyUsage`).
    private mutating func checkExtendedKeyUsage(_ requirement: PurposeRequirement) {
        let anchorCount = self.path.endsWithAnchorCertificate && self.certificates.count > 1 ? 1 : 0
        for index in self.certificates.indices.dropLast(anchorCount) {
            let certificate = self.certificates[index]
            guard certificate.has(.extendedKeyUsage) else { continue }
            let flags = certificate.fields.extensions.purposes
            if !self.allows(requirement.purpose, flags) {
                let required = Self.identifiers(of: requirement.purpose)
                self.reject(.extendedKeyUsage(required: required, present: certificate.extendedKeyUsages), at: index)
            }
            guard !requirement.extendedKeyUsages.isEmpty, !flags.contains(.any) else { continue }
            let present = certificate.extendedKeyUsages
            for usage in requirement.extendedKeyUsages
            where !present.contains(usage) && !self.isImplied(usage, by: requirement.purpose) {
                self.reject(.extendedKeyUsage(required: [usage], present: present), at: index)
            }
        }
    }

    func allows(_ purpose: PurposeRequirement.Purpose, _ flags: ExtendedKeyUsageFlags) -> Bool {
        let accepted: ExtendedKeyUsageFlags
        switch purpose {
        case .any: return true
        case .client: accepted = [.clientAuth, .any]
        case .server where self.profile.acceptsServerGatedCrypto:
            accepted = [.serverAuth, .any, .microsoftServerGatedCrypto, .netscapeServerGatedCrypto]
        case .server: accepted = [.serverAuth, .any]
        }
        return !flags.isDisjoint(with: accepted)
    }

    /// Returns `true` if a usage is that of the purpose, which is checked already.
    private func isImplied(_ usage: OID, by purpose: PurposeRequirement.Purpose) -> Bool {
        Self.identifiers(of: purpose).contains(usage)
    }

    static func identifiers(of purpose: PurposeRequirement.Purpose) -> [OID] {
        switch purpose {
        case .server: [OID(contents: [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01])]
        case .client: [OID(contents: [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02])]
        case .any: []
        }
    }

    /// Checks the rule of SecPolicyServer.c `SecPolicyCheckServerAuthEKU`, or the CA/Browser Forum's "always".
    private mutating func checkServerAuthentication(_ leaf: CertificateView) {
        // Usages that exclude servers have already been rejected, for the same fault.
        let isRefused = leaf.has(.extendedKeyUsage) && !self.allows(.server, leaf.fields.extensions.purposes)
        guard !isRefused, !leaf.fields.extensions.purposes.contains(.serverAuth),
            self.mustNameServerAuthentication(leaf)
        else { return }
        self.reject(.serverAuthenticationMissing(present: leaf.extendedKeyUsages), at: 0)
    }

    /// Returns `true` if the leaf must have the usage serverAuth. Without an anchor, the rule for a program's anchor is reported.
    private func mustNameServerAuthentication(_ leaf: CertificateView) -> Bool {
        self.profile.serverAuthentication.isRequired(of: leaf, below: self.anchorClass ?? .application)
    }

    // MARK: Lifetime

    private mutating func checkLifetime(of leaf: CertificateView) {
        guard !self.leafIsUserTrusted else { return }
        let (seconds, overflow) = leaf.notAfter.secondsSinceEpoch.subtractingReportingOverflow(
            leaf.notBefore.secondsSinceEpoch)
        let anchorClass = self.anchorClass ?? .application
        let limits = self.profile.serverLifetimeLimits
        // By index, because limits own their texts and a copy of each would be needless.
        let broken = limits.indices.filter { index in
            (overflow || seconds > limits[index].maximumSeconds) && leaf.notBefore >= limits[index].issuedFrom
                && limits[index].anchorClasses.contains(anchorClass)
        }
        guard let strictest = broken.min(by: { limits[$0].maximumSeconds < limits[$1].maximumSeconds }) else { return }
        self.reject(.lifetimeTooLong(seconds: seconds, limit: limits[strictest]), at: 0)
    }
}
