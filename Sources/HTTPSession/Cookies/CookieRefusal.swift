//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A `Set-Cookie` field that sets no cookie, and why. The value of the cookie is not part of it.
public struct CookieRefusal: Error, Sendable, Hashable {
    /// Why.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A control character is in the field (RFC 6265bis §5.6, step 1).
        case controlCharacter = "control-character"
        /// A tab is in the name, the value or the path, which files of cookies cannot hold.
        case tab
        /// It has no name.
        case missingName = "missing-name"
        /// Name and value have more than 4,096 octets (RFC 6265bis §5.6, step 6).
        case tooLarge = "too-large"
        /// The domain is not a name that the host belongs to (RFC 6265bis §5.7, step 10).
        case foreignDomain = "foreign-domain"
        /// The domain is one below which anyone may register a name (RFC 6265bis §5.7, step 9).
        case publicSuffix = "public-suffix"
        /// It is for TLS alone, and was set without it (RFC 6265bis §5.7, step 13).
        case secureWithoutTLS = "secure-without-tls"
        /// It was set without TLS, and would take the place of one that is for TLS alone (RFC 6265bis §5.7, step 16).
        case overlaysSecure = "overlays-secure"
        /// It is for requests of other sites, and not for TLS alone (RFC 6265bis §5.7, step 19).
        case crossSiteWithoutSecure = "cross-site-without-secure"
        /// Its name begins with `__Secure-` or `__Host-`, and it does not keep what that promises (RFC 6265bis §4.1.3).
        case prefix
        /// The response sets more cookies than are read.
        case tooMany = "too-many"
    }

    /// Why.
    public let reason: Reason
    /// The name, as far as it was read; control characters are replaced.
    public let name: String

    init(_ reason: Reason, name: some Sequence<UInt8> = []) {
        self.reason = reason
        self.name = String(
            decoding: name.prefix(256).map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
    }
}

extension CookieRefusal: CustomStringConvertible {
    /// The name and the reason, as a sentence.
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
