//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The options of curl that tell what is pinned, and those that often stand beside them.
///
/// See <https://curl.se/docs/manpage.html>.
enum CurlOption: String, CaseIterable {
    // What is read.
    case pinnedPublicKey = "pinnedpubkey"
    case url
    case next
    case insecure

    // What has no value.
    case silent, verbose, fail, location, head, include, compressed
    case showError = "show-error"
    case onlyIPv4 = "ipv4"
    case onlyIPv6 = "ipv6"
    case http11 = "http1.1"
    case http2, tlsv1
    case tlsv12 = "tlsv1.2"
    case tlsv13 = "tlsv1.3"

    // What has one.
    case output, header, request, data, user, cacert, capath, cert, key, proxy, resolve, cookie, referer, retry
    case userAgent = "user-agent"
    case maximumTime = "max-time"
    case connectTimeout = "connect-timeout"
    case connectTo = "connect-to"
    case writeOut = "write-out"

    /// Whether a value follows.
    var hasValue: Bool {
        switch self {
        case .next, .insecure, .silent, .verbose, .fail, .location, .head, .include, .compressed, .showError, .onlyIPv4,
            .onlyIPv6, .http11, .http2, .tlsv1, .tlsv12, .tlsv13:
            false
        default: true
        }
    }

    /// The options of one letter.
    static let letters: [Character: CurlOption] = [
        ":": .next, "k": .insecure, "s": .silent, "v": .verbose, "f": .fail, "L": .location, "I": .head, "i": .include,
        "S": .showError, "4": .onlyIPv4, "6": .onlyIPv6, "o": .output, "H": .header, "X": .request, "d": .data,
        "u": .user, "E": .cert, "x": .proxy, "b": .cookie, "e": .referer, "A": .userAgent, "m": .maximumTime,
        "w": .writeOut,
    ]

    /// What every pin begins with; anything else is a file's name to curl.
    static let pinPrefix = "\(Pin.Kind.publicKey.rawValue)//"
    /// What is between pins.
    static let separator: Character = ";"
    /// The command itself.
    static let command = "curl"
}
