//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ConformanceResponder {
    /// Returns the trust object that a request describes.
    ///
    /// Unreadable intermediates and roots are left out, as a program that received them would leave them out. An unreadable leaf
    /// throws an error.
    func trust(for request: ConformanceRequest) throws -> Trust {
        guard let leaf = request.leaf else { throw UnsupportedRequest(what: "no leaf") }
        var intermediates = (request.intermediates ?? []).compactMap { try? Self.certificate($0) }
        let roots = (request.roots ?? []).compactMap { try? Self.certificate($0) }
        var anchors = TrustAnchors.none
        let anchorClass = try Self.anchorClass(request.anchor_class)
        let admitted = try Self.admitted(roots, anchorClass, request)
        for root in admitted { anchors.add(root, as: anchorClass) }
        if let blocked = request.program?.blocked {
            anchors.blockedRoots = BlockedRoots(
                fingerprints: Set(blocked.map(Self.fingerprint)), source: "by the request")
        }
        // A root outside the program is still known. A path through it ends in an untrusted root.
        intermediates += roots.filter { !admitted.contains($0) }
        var trust = try Trust(
            certificates: [Self.certificate(leaf)] + intermediates, policy: self.policy(for: request),
            configuration: TrustConfiguration(anchors: anchors))
        // A request without a time is evaluated at the current time.
        trust.verifyDate = request.time.map { Date(timeIntervalSince1970: TimeInterval($0)) }
        trust.profile = try Self.profile(request.profile)
        trust.publicSuffixes = self.publicSuffixes
        trust.maximumIntermediates = request.max_depth
        trust.revocation = try Self.revocation(request)
        trust.transparency = try Self.transparency(request)
        if let policy = request.policy { trust.certificatePolicies = try Self.inputs(policy) }
        return trust
    }

    /// Returns the revocation policy. Unreadable lists and responses are left out, like unreadable intermediates.
    private static func revocation(_ request: ConformanceRequest) throws -> RevocationPolicy {
        guard let mode = RevocationPolicy.Mode(rawValue: request.revocation ?? "off") else {
            throw UnsupportedRequest(what: "unknown revocation mode")
        }
        return RevocationPolicy(
            mode,
            lists: (request.crls ?? []).compactMap { try? CertificateList(der: Self.bytes($0)) },
            responses: (request.ocsp ?? []).compactMap { try? OCSPResponse(der: Self.bytes($0)) }
        )
    }

    private func policy(for request: ConformanceRequest) throws -> TrustPolicy {
        let host = try Self.host(request.peer_name)
        var policy: TrustPolicy
        switch request.purpose ?? "server" {
        case "server": policy = .tlsServer(hostname: host)
        case "client": policy = .tlsClient(hostname: host)
        case "any": policy = .basicX509
        default: throw UnsupportedRequest(what: "unknown purpose")
        }
        for name in [request.peer_name].compactMap({ $0 }) + (request.peer_names ?? []) where name.kind == "RFC822" {
            policy.requirement.identities.append(.identity(.rfc822Name(name.value)))
        }
        for name in request.peer_names ?? [] where name.kind != "RFC822" {
            policy.requirement.identities.append(IdentityRequirement(host: name.value))
        }
        policy.requirement.extendedKeyUsages = try (request.eku ?? []).map(Self.identifier)
        policy.requirement.keyUsage = try (request.key_usage ?? []).reduce(into: []) { usage, name in
            usage.formUnion(try Self.keyUsage(name))
        }
        let pins = [(request.leaf_pins, PinRequirement.Scope.leaf), (request.ca_pins, .authorities)]
        policy.requirement.pins = pins.compactMap { digests, scope in
            digests.map { PinRequirement(keyDigests: Set($0.map(Self.bytes)), scope: scope) }
        }
        return policy
    }

    private static func host(_ name: ConformanceRequest.Name?) throws -> String? {
        guard let name, name.kind != "RFC822" else { return nil }
        return name.value
    }

    private static func anchorClass(_ name: String?) throws -> AnchorClass {
        guard let anchorClass = AnchorClass(rawValue: name ?? "app") else {
            throw UnsupportedRequest(what: "unknown anchor class")
        }
        return anchorClass
    }

    private static func profile(_ name: String?) throws -> ValidationProfile {
        guard let profile = ValidationProfile.named(name ?? "webpki") else {
            throw UnsupportedRequest(what: "unknown profile")
        }
        return profile
    }

    private static func inputs(_ policy: ConformanceRequest.Policy) throws -> PolicyInputs {
        PolicyInputs(
            initialPolicies: Set(try policy.initial.map(Self.identifier)),
            requiresExplicitPolicy: policy.explicit,
            inhibitsPolicyMapping: policy.inhibit_mapping,
            inhibitsAnyPolicy: policy.inhibit_any
        )
    }

    private static func identifier(_ text: String) throws -> OID {
        guard let identifier = OID(text) else { throw UnsupportedRequest(what: "not an identifier") }
        return identifier
    }

    private static func keyUsage(_ name: String) throws -> KeyUsage {
        let all = (0..<9).map { KeyUsage(rawValue: 1 << $0) }
        guard let usage = all.first(where: { $0.names == name }) else {
            throw UnsupportedRequest(what: "unknown key usage")
        }
        return usage
    }
}
