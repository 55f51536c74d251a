//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
import TLSWire

extension ATSRequirements {
    /// Returns the trust policy for the server's chain: the name, the rules for TLS servers, and the pins, so that the path search
    /// finds a pinned path.
    ///
    /// - Parameter hostname: The host of the destination.
    public func trustPolicy(hostname: String?) -> TrustPolicy {
        var policy = TrustPolicy.tlsServer(hostname: hostname)
        policy.requirement.pins = self.pins?.requirements ?? []
        return policy
    }

    /// Evaluates a connection by its known facts. A required fact that is missing counts against the connection.
    ///
    /// - Parameter connection: The facts, with trust evaluated with ``trustPolicy(hostname:)``.
    public func verdict(on connection: ATSConnection) -> ATSVerdict {
        guard connection.usesTLS else {
            return ATSVerdict(
                requirements: self, violations: self.requiresTLS ? [ATSViolation(.insecureLoad)] : [])
        }
        if let failure = connection.failure {
            return ATSVerdict(requirements: self, violations: [ATSViolation(.connectionFailed(failure))])
        }
        var violations = self.violations(ofTransport: connection)
        if let trust = connection.trust {
            violations += self.violations(of: trust)
        } else if !connection.dangerouslyAssumesTrust {
            violations.append(ATSViolation(.unknown(.trust)))
        }
        return ATSVerdict(requirements: self, violations: violations)
    }

    /// Returns the violations by the version, the cipher suite and the master secret, which are known before the certificates.
    ///
    /// - Parameter connection: The facts. The trust is not evaluated.
    public func violations(ofTransport connection: ATSConnection) -> [ATSViolation] {
        guard let version = connection.version else { return [ATSViolation(.unknown(.version))] }
        var violations: [ATSViolation] = []
        let minimum = self.effectiveMinimumVersion
        if minimum.map({ version < $0 }) ?? true {
            violations.append(ATSViolation(.versionTooOld(version, minimum: minimum)))
        }
        violations += self.violation(ofSuite: connection.cipherSuite).map { [$0] } ?? []
        guard self.requiresExtendedMasterSecret, version < .tls13 else { return violations }
        switch connection.usesExtendedMasterSecret {
        case true?: break
        case false?: violations.append(ATSViolation(.noExtendedMasterSecret))
        case nil: violations.append(ATSViolation(.unknown(.extendedMasterSecret)))
        }
        return violations
    }

    private func violation(ofSuite suite: CipherSuite?) -> ATSViolation? {
        let group = self.niapPackage == .fcp21 ? .fcp21 : self.cipherSuiteGroup
        // Without a required list, the offer is the caller's choice.
        guard let group else { return nil }
        guard let suite else { return ATSViolation(.unknown(.cipherSuite)) }
        // A NIAP package never allows a suite that is refused without it.
        let groups = [group, self.cipherSuiteGroup].compactMap(\.self)
        return groups.first { !$0.suites(self.strictness).contains(suite) }.map {
            ATSViolation(.cipherSuite(suite, $0))
        }
    }
}

// MARK: - Certificates

extension ATSRequirements {
    /// Returns the violations by a chain: trust first, because App Transport Security evaluates after it, then keys, digests and
    /// pins.
    private func violations(of trust: TrustResult) -> [ATSViolation] {
        var violations: [ATSViolation] = []
        // A path that only lacks pins is refused because of its pins, below.
        let isOnlyPins = self.pins != nil && trust.failure?.reasons.allSatisfy(\.check.isPinning) == true
        if let failure = trust.failure, !isOnlyPins {
            violations.append(ATSViolation(.untrusted(failure), isOverridable: !self.isEnforced))
        }
        let missingPins = self.missingPins(on: trust)
        // Trust may be missing for other reasons, such as pins of another policy, and an exception does not override them.
        if !trust.isTrusted, trust.failure == nil || isOnlyPins && missingPins.isEmpty {
            violations.append(ATSViolation(.unknown(.trust)))
        }
        violations += self.violations(ofLeaf: trust)
        if self.requiresSHA256 { violations += self.weakDigests(on: trust) }
        return violations + missingPins
    }

    private func violations(ofLeaf trust: TrustResult) -> [ATSViolation] {
        guard let leaf = trust.path.first else { return [] }
        let (kind, bits) = (leaf.publicKey.kind, leaf.publicKey.sizeInBits)
        let minimum = kind == .rsa ? self.minimumRSAKeySize : self.minimumECKeySize
        var violations: [ATSViolation] = []
        // The minimum sizes are for RSA keys and keys on curves. A key of another kind meets neither.
        if let minimum, bits < minimum || !kind.isRSAOrCurve {
            violations.append(
                ATSViolation(.keyTooSmall(kind, bits: bits, minimum: minimum), isOverridable: !self.isEnforced))
        }
        // FCP_v2.1: the client must have offered the algorithm of the certificate's signature.
        let algorithm = leaf.view.signatureAlgorithm
        if self.niapPackage == .fcp21, !self.isOffered(algorithm) {
            violations.append(ATSViolation(.signatureAlgorithmNotOffered(algorithm)))
        }
        return violations
    }

    /// Returns `true` if the algorithm of a certificate's signature was offered. An algorithm without a name in TLS never is.
    private func isOffered(_ algorithm: SignatureAlgorithm) -> Bool {
        algorithm.signatureScheme.map(self.clientHello.signatureSchemes.contains) ?? false
    }

    /// Returns the violations by weak digests. The signature of an anchor does not matter.
    private func weakDigests(on trust: TrustResult) -> [ATSViolation] {
        let path = trust.anchorClass == nil ? trust.path[...] : trust.path.dropLast(trust.path.count > 1 ? 1 : 0)
        return path.enumerated().compactMap { index, certificate in
            let algorithm = certificate.view.signatureAlgorithm
            let digest = algorithm.digest
            guard !algorithm.isAtLeastSHA256 else { return nil }
            return ATSViolation(
                index == 0 ? .leafDigest(digest) : .issuerDigest(digest, certificateIndex: index),
                isOverridable: !self.isEnforced)
        }
    }

    /// Returns the pins that the path lacks. It compares the path itself, regardless of the trust evaluation.
    private func missingPins(on trust: TrustResult) -> [ATSViolation] {
        guard let pins else { return [] }
        var violations: [ATSViolation] = []
        let keys = trust.path.map(\.publicKey.sha256)
        if let leaf = pins.leaf, !leaf.contains(where: { $0 == keys.first }) {
            violations.append(ATSViolation(.leafNotPinned(found: keys.first, pinned: leaf)))
        }
        if let authorities = pins.authorities, !authorities.contains(where: keys.dropFirst().contains) {
            let found = Array(keys.dropFirst())
            violations.append(ATSViolation(.authorityNotPinned(found: found, pinned: authorities)))
        }
        return violations
    }
}

extension PublicKeyKind {
    fileprivate var isRSAOrCurve: Bool {
        switch self {
        case .rsa, .p192, .p224, .p256, .p384, .p521, .otherCurve, .explicitCurve: true
        case .ed25519, .ed448, .mlDSA44, .mlDSA65, .mlDSA87, .unknown: false
        }
    }
}

extension SignatureAlgorithm {
    /// `true` if App Transport Security accepts the digest. It accepts no unknown one.
    fileprivate var isAtLeastSHA256: Bool {
        switch self.digest {
        case .sha256, .sha384, .sha512: true
        case .intrinsic: self.scheme == .ed25519
        case .md2, .md4, .md5, .sha1, .sha224: false
        }
    }

    /// The scheme of the algorithm in TLS (RFC 8446 §4.2.3), or `nil` if TLS has none. PSS has the scheme for plain RSA keys.
    fileprivate var signatureScheme: SignatureScheme? {
        let number: UInt16? =
            switch (self.scheme, self.digest) {
            case (.rsaPKCS1, .sha1): 0x0201
            case (.rsaPKCS1, .sha256): 0x0401
            case (.rsaPKCS1, .sha384): 0x0501
            case (.rsaPKCS1, .sha512): 0x0601
            case (.rsaPSS, .sha256): 0x0804
            case (.rsaPSS, .sha384): 0x0805
            case (.rsaPSS, .sha512): 0x0806
            case (.ecdsa, .sha1): 0x0203
            case (.ecdsa, .sha256): 0x0403
            case (.ecdsa, .sha384): 0x0503
            case (.ecdsa, .sha512): 0x0603
            default: nil
            }
        return number.map(SignatureScheme.init)
    }
}
