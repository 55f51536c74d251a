//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import TLSProbe
import TLSWire

/// The reason for a failed handshake under given requirements. An alert says little, so the facts supply the rest.
struct RefusedHandshake {
    let requirements: ATSRequirements
    let facts: ServerFacts
    let known: ATSServerFacts

    /// Returns the changes that make a handshake possible. Empty if there is no server or the cause is unknown.
    func causes(of failure: ConnectionFailure) -> [AdviceCause] {
        guard !failure.isWithoutServer, let minimum = self.requirements.effectiveMinimumVersion else { return [] }
        if let cause = self.causeInHello ?? self.protocolCause(failure) { return [cause] }
        let presented = self.facts.chains.flatMap(\.versions)
        let spoken = Set(self.facts.supportedVersions + self.known.handshakes.map(\.version) + presented).sorted()
        guard !spoken.isEmpty else { return self.causesOfSilence(failure) }
        // No setting remedies a server that breaks the rules of TLS.
        guard !failure.breaksProtocol else { return [] }
        let maximum = self.requirements.systemMaximumVersion
        guard let newest = spoken.last(where: { $0 <= maximum }), newest >= minimum else {
            let names = spoken.map(\.description).joined(separator: " and ")
            let limit =
                spoken.allSatisfy { $0 > maximum } ? "\(maximum) is the newest" : "at least \(minimum) is required"
            return [AdviceCause(kind: .version, reason: "The server speaks \(names) only, and \(limit).")]
        }
        let refusing = self.refusesInTLS13 ? .tls13 : newest
        guard self.hasSuite(of: refusing) else {
            // Other suites alone would not help with an unsuitable key or groups.
            return [self.noCertificateCause(in: refusing), self.noSuite(of: refusing)].compactMap(\.self)
                + [self.unusableKeyCause(in: refusing), self.unusableGroupsCause(in: refusing)]
                .compactMap(\.self)
        }
        return self.causesOfRefusal(in: refusing)
    }

    /// `true` if the server accepts the TLS 1.2 offer of Apple's systems and refuses the same offer with TLS 1.3. It then speaks
    /// TLS 1.3, and a part of the offer for that does not suit it.
    private var refusesInTLS13: Bool {
        guard self.requirements.systemMaximumVersion >= .tls13,
            case .refused(.alert(let alert))? = self.facts.support(of: .tls13), alert != .protocolVersion
        else { return false }
        return self.facts.selections.contains { $0.offer == .atsTLS12 }
    }

    /// The cause in the ClientHello itself, or `nil` if there is none.
    private var causeInHello: AdviceCause? {
        let tolerance = HelloTolerance(
            self.facts, strictness: self.requirements.strictness, system: self.requirements.system)
        switch tolerance.fault {
        case .newVersion:
            let reason = "The server fails at hellos that offer TLS 1.3, which Apple's systems always offer."
            return AdviceCause(kind: .newVersions, reason: reason)
        case .size(let failure):
            let reason =
                "Hellos with a post-quantum key, as Apple's systems send them, come to nothing, and shorter ones do not: "
                + failure.message
            return AdviceCause(kind: .largeHello, reason: reason)
        case .part(let part, let failure):
            return AdviceCause(kind: .hello, reason: ProbeAnomaly.failsAtHello(part, failure).message)
        case .group(let group):
            let reason = "The server agrees on keys in \(group) only, which \(self.requirements.system) does not offer."
            return AdviceCause(kind: .groups, reason: reason)
        case nil: return nil
        }
    }

    /// Returns the cause if the server knows none of the application protocols of a load. This refusal says nothing about the rest
    /// of the offer.
    private func protocolCause(_ failure: ConnectionFailure) -> AdviceCause? {
        guard failure == .alert(.noApplicationProtocol) else { return nil }
        let reason = "The server knows none of the application protocols that Apple's systems offer, h2 and http/1.1."
        return AdviceCause(kind: .applicationProtocols, reason: reason)
    }

    /// Returns the cause for a port that does not speak TLS. Only a web server is advised to speak TLS, because for other protocols
    /// the port may be wrong.
    private func causesOfOtherProtocol(_ failure: ConnectionFailure) -> [AdviceCause] {
        if case .startTLS? = self.facts.failure { return [] }
        guard case .notTLS(let beginning)? = self.facts.failure else {
            return [AdviceCause(kind: .speakTLS, reason: failure.message)]
        }
        let isOfWeb = beginning.isEmpty || ["HTTP/", "<"].contains { beginning.hasPrefix($0) }
        return isOfWeb ? [AdviceCause(kind: .speakTLS, reason: self.facts.failure?.message ?? failure.message)] : []
    }

    /// Returns the causes if no version was agreed on. Only alerts with a known cause count.
    private func causesOfSilence(_ failure: ConnectionFailure) -> [AdviceCause] {
        // A server that sends too much may speak TLS.
        if failure.isOfLimit { return [] }
        if failure.breaksProtocol { return self.causesOfOtherProtocol(failure) }
        let refusals = self.facts.versions.map(\.support).compactMap { support -> ConnectionFailure? in
            if case .refused(let refusal) = support { ConnectionFailure(refusal) } else { nil }
        }
        let answers = [failure] + refusals
        if answers.contains(.alert(.unrecognizedName)) {
            let reason =
                self.facts.serverName == nil
                ? "No name was sent, and the server rejects connections that name no site."
                : "The server knows no site of this name."
            return [AdviceCause(kind: .site, reason: reason)]
        }
        // RFC 8446 §6.2: a server sends protocol_version if it speaks none of the versions, and this one sends another alert for
        // the newest version.
        guard answers.contains(.alert(.protocolVersion)) else { return [] }
        guard self.refusedVersions == [.tls13] else { return self.causesWithoutVersion }
        // All plans except the shortest offer TLS 1.3 with every suite and in every group.
        guard self.facts.plan == .ats else {
            let reason =
                "The server refuses TLS 1.3 in every group and with every suite, and every older version: with its key and "
                + "its settings it can sign no handshake."
            return [.keyKind, .signatures].map { AdviceCause(kind: $0, reason: reason) }
        }
        let reason =
            "The server refuses TLS 1.3 as Apple's systems offer it, and every older version: neither its key nor the groups "
            + "nor the signatures are known to suit."
        return [.keyKind, .groups, .signatures].map { AdviceCause(kind: $0, reason: reason) }
    }

    /// The versions that were refused with an alert other than protocol_version.
    private var refusedVersions: [TLSProtocolVersion] {
        self.facts.versions.filter { fact in
            guard case .refused(.alert(let alert)) = fact.support else { return false }
            return alert != .protocolVersion && fact.version >= .tls10
        }.map(\.version).sorted()
    }

    /// The causes if no version can be used. A server sends handshake_failure for a version that it speaks, and protocol_version
    /// for others. OpenSSL also sends protocol_version if it has no key that it can use in TLS 1.3.
    private var causesWithoutVersion: [AdviceCause] {
        let refused = self.refusedVersions
        guard refused.isEmpty else {
            let names = refused.map(\.description).joined(separator: " and ")
            let reason =
                "The server refuses all that was offered in \(names), and says that it does not speak the other versions: it has no "
                + "certificate, or none with a key that suits the offer."
            return [AdviceCause(kind: .keyKind, reason: reason)]
        }
        let reason =
            "The server refuses every version of TLS that was offered: it is set to speak none of them, or it has no key that it "
            + "can use in those that it speaks."
        return [.keyKind, .version].map { AdviceCause(kind: $0, reason: reason) }
    }
}

// MARK: - Suites

extension RefusedHandshake {
    /// Returns `true` if the server has an allowed suite in any of the probed offers.
    private func hasSuite(of version: TLSProtocolVersion) -> Bool {
        let selected = self.facts.selections.filter { $0.version == version }.map(\.cipherSuite)
        let found = (self.facts.cipherSuites(of: version)?.suites ?? []) + selected
        // The probe may have seen only the server's certificate. In TLS 1.3 every server has a suite in common (RFC 8446 §9.1).
        if found.isEmpty { return true }
        let allowed = Set(self.requirements.cipherSuites)
        return found.contains(where: allowed.contains)
    }

    /// Returns the cause if the server accepts only anonymous suites, so that it has no certificate, or none that it can use.
    private func noCertificateCause(in version: TLSProtocolVersion) -> AdviceCause? {
        let suites = self.facts.cipherSuites(of: version)?.suites ?? []
        guard !suites.isEmpty, suites.allSatisfy(\.isAnonymous), self.facts.chains.isEmpty else { return nil }
        let reason =
            "The server takes anonymous suites alone: it has no certificate, or none that goes with its suites."
        return AdviceCause(kind: .keyKind, reason: reason)
    }

    private func noSuite(of version: TLSProtocolVersion) -> AdviceCause {
        guard version < .tls13 else {
            let reason = "Of the suites of \(version) the server takes none that App Transport Security allows."
            return AdviceCause(kind: .newSuites, reason: reason)
        }
        let suites = self.facts.cipherSuites(of: version)?.suites ?? []
        let ephemeral = suites.filter { $0.keyExchange == .ecdhe && !$0.isAnonymous }
        let allowed =
            switch (self.requirements.niapPackage, self.requirements.requiresForwardSecrecy) {
            case (.fcp21, _): "of ECDHE with AES-GCM, which is all that FCP_v2.1 allows"
            // Not all suites with ECDHE are allowed, so a server with others needs to know which.
            case (_, true) where ephemeral.isEmpty: "that App Transport Security allows, which are those with ECDHE"
            case (_, _): "that App Transport Security allows"
            }
        let isDHE = !suites.isEmpty && suites.allSatisfy { $0.keyExchange == .dhe }
        var rest = isDHE ? " It takes DHE alone, which Apple's systems do not offer." : ""
        if self.requirements.niapPackage != .fcp21, let suite = ephemeral.first {
            rest =
                " Those with ECDHE that it takes, such as \(suite), are not among the ones that Apple's systems offer."
        }
        return AdviceCause(
            kind: .cipherSuites, reason: "Of the suites of \(version) the server takes none \(allowed).\(rest)")
    }
}

// MARK: - Groups and signatures

extension RefusedHandshake {
    /// Returns the causes for a server that has an allowed suite and refuses it in the offer of Apple's systems. The groups and the
    /// signatures are the remaining differences.
    private func causesOfRefusal(in version: TLSProtocolVersion) -> [AdviceCause] {
        guard !self.isOnlyFCP(version) else {
            let reason = "The server signs over SHA-1 only, which FCP_v2.1 does not offer."
            return [AdviceCause(kind: .signatures, reason: reason)]
        }
        let causes = [self.unusableKeyCause(in: version), self.unusableGroupsCause(in: version)].compactMap(\.self)
        guard causes.isEmpty else { return causes }
        guard self.groups(in: version) != nil else {
            let reason = "\(self.refusal) neither the groups nor the signatures are known to suit."
            return [AdviceCause(kind: .groups, reason: reason), AdviceCause(kind: .signatures, reason: reason)]
        }
        return [AdviceCause(kind: .signatures, reason: "\(self.refusal) the groups suit, and the signatures do not.")]
    }

    private func unusableKeyCause(in version: TLSProtocolVersion) -> AdviceCause? {
        self.unusableKey(in: version).map { kind in
            let reason =
                self.hasSuite(of: version)
                ? "\(self.refusal) the signatures do not suit, as its key is \(kind)."
                : "The key of the server is \(kind), and Apple's systems offer no signature of such keys."
            return AdviceCause(kind: .keyKind, reason: reason)
        }
    }

    /// Returns the cause if Apple's systems offer none of the groups of a version, or `nil` if they offer one or not all groups are
    /// known.
    private func unusableGroupsCause(in version: TLSProtocolVersion) -> AdviceCause? {
        guard let groups = self.groups(in: version),
            !groups.contains(where: self.requirements.clientHello.groups.contains)
        else { return nil }
        let names = groups.map(\.description).joined(separator: " and ")
        return AdviceCause(
            kind: .groups,
            reason: "The server agrees on keys in \(names) only, which Apple's systems do not offer.")
    }

    /// Returns the groups of a version, or `nil` if not all are known or there are none.
    private func groups(in version: TLSProtocolVersion) -> [NamedGroup]? {
        let groups = self.facts.groups.first { ($0.version >= .tls13) == (version >= .tls13) }
        guard let groups, groups.isComplete, !groups.groups.isEmpty else { return nil }
        return groups.groups
    }

    /// Returns the kind of the server's keys if none of them can sign a handshake that Apple's systems verify, or `nil` if one can
    /// or no key is known. In TLS 1.2, ECDSA with SHA-256 works on any curve.
    private func unusableKey(in version: TLSProtocolVersion) -> String? {
        let leaves = self.facts.chains.compactMap { chain in
            chain.certificates.first.flatMap { try? Certificate(der: $0) }
        }
        guard let first = leaves.first, !leaves.contains(where: { $0.isVerified(in: version) }) else { return nil }
        return switch first.publicKey.kind {
        case .rsa: "RSA-PSS"
        case .ed25519, .ed448, .mlDSA44, .mlDSA65, .mlDSA87: first.publicKey.kind.rawValue
        case .otherCurve, .explicitCurve: "on another curve"
        case .unknown: "of another kind"
        default: "on \(first.publicKey.kind.rawValue)"
        }
    }

    private var refusal: String { "The server has suites that pass, and refuses them as Apple's systems offer them:" }

    /// Returns `true` if the suites are refused only under FCP_v2.1. Its offer differs from the ordinary one only in the absence of
    /// signatures with SHA-1.
    private func isOnlyFCP(_ version: TLSProtocolVersion) -> Bool {
        self.requirements.niapPackage == .fcp21 && self.known.refusesFCP && version == .tls12
            && !self.facts.refusedOffers.contains(.atsTLS12)
            && self.known.handshakes.contains { $0.version == version }
    }
}

extension Certificate {
    /// Returns `true` if Apple's systems offer a signature scheme for the key.
    fileprivate func isVerified(in version: TLSProtocolVersion) -> Bool {
        switch self.publicKey.kind {
        case .rsa: !self.hasRSAPSSKey
        case .p256, .p384: true
        case .p521: version < .tls13
        default: false
        }
    }
}
