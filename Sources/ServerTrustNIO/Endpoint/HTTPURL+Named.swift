//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerTrust

extension HTTPURL {
    private static let maximumNamedSize = 2_048

    /// Reads a URL that is loaded without a person's choice: from a certificate, a redirect, or a configuration.
    ///
    /// - Parameters:
    ///   - text: The URL.
    ///   - schemes: The allowed schemes.
    /// - Throws: `ResourceError` for another scheme, credentials, an invalid host or port, more than 2,048 octets, or any octet
    ///   outside printable ASCII.
    package init(named text: String, schemes: [Scheme]) throws(ResourceError) {
        guard text.utf8.count <= Self.maximumNamedSize, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ResourceError(.invalidURL, "the URL is too long or has characters URLs do not have")
        }
        let written = AuthorityURL.splitScheme(text)?.scheme
        guard schemes.contains(where: { $0.rawValue == written }) else {
            throw ResourceError(
                .invalidURL, "the URL is not one of \(schemes.map(\.rawValue).joined(separator: " or "))")
        }
        do { self = try HTTPURL(text) } catch { throw ResourceError(.invalidURL, error.reason) }
        guard self.userInformation == nil else {
            throw ResourceError(.invalidURL, "the URL has a user name in it")
        }
    }

    /// Resolves the target of a redirect: a URL of the same scheme, or a path from the root of the same server.
    ///
    /// - Parameter reference: The octets of the Location field.
    /// - Throws: `ResourceError` for a relative path, and for every URL that ``init(named:schemes:)`` refuses.
    package func resolving(named reference: some Sequence<UInt8>) throws(ResourceError) -> HTTPURL {
        let text = String(decoding: Array(reference), as: UTF8.self)
        let base = text.hasPrefix("//") ? "\(self.scheme.rawValue):" : text.hasPrefix("/") ? "\(self.origin)" : ""
        return try HTTPURL(named: base + text, schemes: [self.scheme])
    }
}
