//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The refusal of a cookie and its reason. It does not contain the value of the cookie.
public struct CookieRefusal: Error, Sendable, Hashable {
    /// The reason for refusing a cookie.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The field contains a control character (RFC 6265bis §5.6, step 1).
        case controlCharacter = "control-character"
        /// The name, value or path contains a tab, which files of cookies cannot store.
        case tab
        /// The cookie has no name.
        case missingName = "missing-name"
        /// Name and value together exceed 4,096 octets (RFC 6265bis §5.6, step 6).
        case tooLarge = "too-large"
        /// The host does not belong to the domain (RFC 6265bis §5.7, step 10).
        case foreignDomain = "foreign-domain"
        /// The domain is a public suffix, below which the public may register names (RFC 6265bis §5.7, step 9).
        case publicSuffix = "public-suffix"
        /// The cookie is Secure and was set without TLS (RFC 6265bis §5.7, step 13).
        case secureWithoutTLS = "secure-without-tls"
        /// The cookie was set without TLS and would hide or replace a Secure one (RFC 6265bis §5.7, step 16).
        case overlaysSecure = "overlays-secure"
        /// The cookie has SameSite=None and is not Secure (RFC 6265bis §5.7, step 19).
        case crossSiteWithoutSecure = "cross-site-without-secure"
        /// The name begins with `__Secure-` or `__Host-`, and the cookie does not satisfy the requirements of that prefix
        /// (RFC 6265bis §4.1.3).
        case prefix
        /// The response sets more cookies than the limit allows.
        case tooMany = "too-many"
    }

    /// The reason for the refusal.
    public let reason: Reason
    /// The name, if it was read. Control characters are replaced.
    public let name: String

    init(_ reason: Reason, name: some Sequence<UInt8> = []) {
        self.reason = reason
        self.name = String(
            decoding: name.prefix(256).map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
    }
}

extension CookieRefusal: CustomStringConvertible {
    /// The name and the reason as a sentence.
    public var description: String {
        let clause =
            switch self.reason {
            case .controlCharacter: "it has a control character"
            case .tab: "it has a tab"
            case .missingName: "it has no name"
            case .tooLarge: "it is larger than 4,096 octets"
            case .foreignDomain: "the host does not belong to its domain"
            case .publicSuffix: "names below its domain belong to unrelated owners"
            case .secureWithoutTLS: "it is for TLS alone and was set without TLS"
            case .overlaysSecure: "a cookie for TLS alone has its name, and it was set without TLS"
            case .crossSiteWithoutSecure: "it has SameSite=None without Secure"
            case .prefix: "it does not keep what the prefix of its name promises"
            case .tooMany: "the response sets more cookies than are read"
            }
        return self.name.isEmpty
            ? "A cookie was refused: \(clause)." : "The cookie \(self.name) was refused: \(clause)."
    }
}
