//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The requirements of name prefixes of cookies (RFC 6265bis §4.1.3, §5.7, steps 20 to 22).
enum CookiePrefix {
    private static let secure = Array("__secure-".utf8)
    private static let host = Array("__host-".utf8)

    /// Returns `true` if a cookie satisfies the requirements of its prefix. The value of a nameless cookie must not begin with one.
    ///
    /// - Parameters:
    ///   - cookie: The cookie.
    ///   - hasPath: `true` if the server gave a path.
    static func isKept(by cookie: Cookie, hasPath: Bool) -> Bool {
        let name = (cookie.name.isEmpty ? cookie.value : cookie.name).prefix(Self.secure.count).map(Self.folded)
        let (isSecure, isHost) = (name.starts(with: Self.secure), name.starts(with: Self.host))
        guard isSecure || isHost else { return true }
        guard !cookie.name.isEmpty, cookie.isSecure else { return false }
        return !isHost || cookie.isHostOnly && hasPath && cookie.path == "/"
    }

    private static func folded(_ octet: UInt8) -> UInt8 { (0x41...0x5A).contains(octet) ? octet | 0x20 : octet }
}
