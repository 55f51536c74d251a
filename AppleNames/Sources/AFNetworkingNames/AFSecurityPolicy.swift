//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppleSecurity
public import Foundation
public import ServerTrust

/// The part of a server that is pinned.
public enum AFSSLPinningMode: UInt, Sendable {
    /// Nothing.
    case none
    /// The keys of the pinned certificates.
    case publicKey
    /// The pinned certificates, to the letter.
    case certificate
}

/// AFNetworking's policy: how a server is judged, and what of it is pinned.
///
/// Settings that contradict each other trust no server: ``verify(_:forDomain:)`` says which, and what to write. What AFNetworking
/// makes of them is behind ``semantics``.
public final class AFSecurityPolicy: NSObject, NSSecureCoding, NSCopying {
    /// The pinning mode.
    public let sslPinningMode: AFSSLPinningMode
    /// The pinned certificates, in DER. A member that is no certificate trusts no server.
    public var pinnedCertificates: Set<Data>?
    /// Accepts a server that nothing but its pin supports.
    public var allowInvalidCertificates = false
    /// Requires the certificate to name the domain.
    public var validatesDomainName = true
    /// The meaning of the settings: as they read, or as AFNetworking 4.0.1 implements them.
    public var semantics = SecurityPolicy.Semantics.secure

    /// A policy with the certificates of the main bundle.
    ///
    /// - Parameter pinningMode: What is pinned. With ``AFSSLPinningMode/none`` nothing is loaded.
    public convenience init(pinningMode: AFSSLPinningMode) {
        self.init(
            pinningMode: pinningMode,
            withPinnedCertificates: pinningMode == .none ? [] : Self.certificates(in: .main))
    }

    /// A policy with certificates of your own.
    ///
    /// - Parameters:
    ///   - pinningMode: What is pinned.
    ///   - pinnedCertificates: What is pinned, in DER.
    public init(pinningMode: AFSSLPinningMode, withPinnedCertificates pinnedCertificates: Set<Data>) {
        self.sslPinningMode = pinningMode
        self.pinnedCertificates = pinnedCertificates
    }

    /// The ordinary rules, and nothing pinned.
    public class func `default`() -> AFSecurityPolicy { AFSecurityPolicy(pinningMode: .none) }

    /// The certificates of a bundle: its files that end in `.cer`, `.crt` or `.der`, in DER.
    ///
    /// - Returns: None also where one of them cannot be read: no pin vanishes beside others.
    public class func certificates(in bundle: Bundle) -> Set<Data> {
        guard let folder = bundle.resourceURL, let certificates = try? SecurityPolicy.certificates(in: folder) else {
            return []
        }
        return Set(certificates.map { Data($0.derRepresentation) })
    }

    /// Tells whether a server is trusted for a domain.
    ///
    /// - Parameters:
    ///   - serverTrust: The server. Nothing is set in it, while AFNetworking changes its policies and anchors.
    ///   - domain: The domain; `nil` is refused while ``validatesDomainName`` is on, but by AFNetworking.
    public func evaluateServerTrust(_ serverTrust: SecTrust, forDomain domain: String?) -> Bool {
        (try? self.verify(serverTrust, forDomain: domain)) != nil
    }

    /// Throws why a server is not trusted for a domain.
    ///
    /// - Parameters:
    ///   - serverTrust: The server.
    ///   - domain: The domain.
    /// - Throws: `SecurityPolicyError` for settings that contradict each other, `CertificateError` for a pin that is no
    ///   certificate, `ServerTrustFailure` for a server that is not trusted.
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

    /// A policy with the same settings.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = AFSecurityPolicy(
            pinningMode: self.sslPinningMode, withPinnedCertificates: self.pinnedCertificates ?? [])
        copy.allowInvalidCertificates = self.allowInvalidCertificates
        copy.validatesDomainName = self.validatesDomainName
        copy.semantics = self.semantics
        return copy
    }

    /// True: archives are read by class.
    public static var supportsSecureCoding: Bool { true }

    /// Reads a policy with AFNetworking's keys. What it means is not archived: it is secure.
    ///
    /// - Returns: `nil` where a setting is missing, or pins are lost: no policy without the pins it had.
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

    /// Writes the policy with AFNetworking's keys.
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
