//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppleSecurity
public import Foundation
public import ServerTrust

/// The part of a server's certificate that is pinned.
public enum AFSSLPinningMode: UInt, Sendable {
    /// Nothing is pinned.
    case none
    /// The public keys of the pinned certificates.
    case publicKey
    /// The pinned certificates, byte by byte.
    case certificate
}

/// AFNetworking's policy: the rules for evaluating a server, and its pins.
///
/// A policy with contradictory settings trusts no server. ``verify(_:forDomain:)`` throws an error that names the settings and
/// the correction. ``semantics`` selects AFNetworking's own interpretation of the settings.
public final class AFSecurityPolicy: NSObject, NSSecureCoding, NSCopying {
    /// The pinning mode.
    public let sslPinningMode: AFSSLPinningMode
    /// The pinned certificates, in DER. If a member is not a certificate, the policy trusts no server.
    public var pinnedCertificates: Set<Data>?
    /// `true` to accept a server that only its pin supports.
    public var allowInvalidCertificates = false
    /// `true` to require that the certificate matches the domain.
    public var validatesDomainName = true
    /// The interpretation of the settings: as their names say, or as AFNetworking 4.0.1 implements them.
    public var semantics = SecurityPolicy.Semantics.secure

    /// Creates a policy with the certificates of the main bundle.
    ///
    /// - Parameter pinningMode: The pinning mode. With ``AFSSLPinningMode/none`` nothing is loaded.
    public convenience init(pinningMode: AFSSLPinningMode) {
        self.init(
            pinningMode: pinningMode,
            withPinnedCertificates: pinningMode == .none ? [] : Self.certificates(in: .main))
    }

    /// Creates a policy with the given certificates.
    ///
    /// - Parameters:
    ///   - pinningMode: The pinning mode.
    ///   - pinnedCertificates: The pinned certificates, in DER.
    public init(pinningMode: AFSSLPinningMode, withPinnedCertificates pinnedCertificates: Set<Data>) {
        self.sslPinningMode = pinningMode
        self.pinnedCertificates = pinnedCertificates
    }

    /// Returns a policy with the default rules and without pins.
    public class func `default`() -> AFSecurityPolicy { AFSecurityPolicy(pinningMode: .none) }

    /// Returns the certificates of a bundle, in DER, from its files with the extensions `.cer`, `.crt` and `.der`.
    ///
    /// - Returns: The certificates, or an empty set if one of them cannot be read. No pin may be lost while others remain.
    public class func certificates(in bundle: Bundle) -> Set<Data> {
        guard let folder = bundle.resourceURL, let certificates = try? SecurityPolicy.certificates(in: folder) else {
            return []
        }
        return Set(certificates.map { Data($0.derRepresentation) })
    }

    /// Returns `true` if a server is trusted for a domain.
    ///
    /// - Parameters:
    ///   - serverTrust: The trust object of the server. This method does not change it. AFNetworking changes its policies and
    ///     anchors.
    ///   - domain: The domain. `nil` is refused if ``validatesDomainName`` is `true`. AFNetworking accepts it.
    public func evaluateServerTrust(_ serverTrust: SecTrust, forDomain domain: String?) -> Bool {
        (try? self.verify(serverTrust, forDomain: domain)) != nil
    }

    /// Evaluates a server for a domain, and throws the reason if it is not trusted.
    ///
    /// - Parameters:
    ///   - serverTrust: The trust object of the server.
    ///   - domain: The domain.
    /// - Throws: `SecurityPolicyError` for contradictory settings, `CertificateError` for a pin that is not a certificate, or
    ///   `ServerTrustFailure` for a server that is not trusted.
    public func verify(_ serverTrust: SecTrust, forDomain domain: String?) throws {
        _ = try self.policy.evaluate(serverTrust.trust, forDomain: domain).get()
    }

    /// The policy as a value.
    public var policy: SecurityPolicy {
        get throws {
            let certificates = try (self.pinnedCertificates ?? []).map { try Certificate(der: Array($0)) }
            return try SecurityPolicy(
                pinningMode: self.sslPinningMode.mode, pinnedCertificates: certificates,
                allowInvalidCertificates: self.allowInvalidCertificates, validatesDomainName: self.validatesDomainName,
                semantics: self.semantics)
        }
    }

    // MARK: NSCopying and NSSecureCoding

    /// Returns a policy with the same settings.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = AFSecurityPolicy(
            pinningMode: self.sslPinningMode, withPinnedCertificates: self.pinnedCertificates ?? [])
        copy.allowInvalidCertificates = self.allowInvalidCertificates
        copy.validatesDomainName = self.validatesDomainName
        copy.semantics = self.semantics
        return copy
    }

    /// Always `true`, because archives are decoded by class.
    public static var supportsSecureCoding: Bool { true }

    /// Decodes a policy with AFNetworking's keys. The interpretation is not archived and is always the secure one.
    ///
    /// - Returns: `nil` if a setting is missing or pins are lost. A policy must not lose its pins.
    public init?(coder: NSCoder) {
        guard coder.containsValue(forKey: Key.mode), coder.containsValue(forKey: Key.pins),
            let mode = UInt(exactly: coder.decodeInteger(forKey: Key.mode)).flatMap(AFSSLPinningMode.init(rawValue:)),
            coder.containsValue(forKey: Key.allowsInvalid), coder.containsValue(forKey: Key.validatesName),
            let pins = coder.decodeObject(of: [NSArray.self, NSData.self], forKey: Key.pins) as? [Data]
        else { return nil }
        self.sslPinningMode = mode
        self.pinnedCertificates = Set(pins)
        self.allowInvalidCertificates = coder.decodeBool(forKey: Key.allowsInvalid)
        self.validatesDomainName = coder.decodeBool(forKey: Key.validatesName)
    }

    /// Encodes the policy with AFNetworking's keys.
    public func encode(with coder: NSCoder) {
        coder.encode(Int(self.sslPinningMode.rawValue), forKey: Key.mode)
        coder.encode(self.allowInvalidCertificates, forKey: Key.allowsInvalid)
        coder.encode(self.validatesDomainName, forKey: Key.validatesName)
        let pins = (self.pinnedCertificates ?? []).sorted { $0.lexicographicallyPrecedes($1) }
        coder.encode(pins as NSArray, forKey: Key.pins)
    }

    private enum Key {
        static let mode = "SSLPinningMode"
        static let allowsInvalid = "allowInvalidCertificates"
        static let validatesName = "validatesDomainName"
        static let pins = "pinnedCertificates"
    }
}

extension AFSSLPinningMode {
    fileprivate var mode: SecurityPolicy.PinningMode {
        switch self {
        case .none: .none
        case .publicKey: .publicKey
        case .certificate: .certificate
        }
    }
}
