//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The curl options that concern pins, and others that often occur with them.
///
/// See <https://curl.se/docs/manpage.html>.
enum CurlOption: String, CaseIterable {
    // Options that the scanner interprets.
    case pinnedPublicKey = "pinnedpubkey"
    case url
    case next
    case insecure

    // Options without a value.
    case silent, verbose, fail, location, head, include, compressed
    case showError = "show-error"
    case onlyIPv4 = "ipv4"
    case onlyIPv6 = "ipv6"
    case http11 = "http1.1"
    case http2, tlsv1
    case tlsv12 = "tlsv1.2"
    case tlsv13 = "tlsv1.3"

    // Options with a value.
    case output, header, request, data, user, cacert, capath, cert, key, proxy, resolve, cookie, referer, retry
    case userAgent = "user-agent"
    case maximumTime = "max-time"
    case connectTimeout = "connect-timeout"
    case connectTo = "connect-to"
    case writeOut = "write-out"

    var hasValue: Bool {
        switch self {
        case .next, .insecure, .silent, .verbose, .fail, .location, .head, .include, .compressed, .showError, .onlyIPv4,
            .onlyIPv6, .http11, .http2, .tlsv1, .tlsv12, .tlsv13:
            false
        default: true
        }
    }

    /// The short options by their letter.
    static let letters: [Character: CurlOption] = [
        ":": .next, "k": .insecure, "s": .silent, "v": .verbose, "f": .fail, "L": .location, "I": .head, "i": .include,
        "S": .showError, "4": .onlyIPv4, "6": .onlyIPv6, "o": .output, "H": .header, "X": .request, "d": .data,
        "u": .user, "E": .cert, "x": .proxy, "b": .cookie, "e": .referer, "A": .userAgent, "m": .maximumTime,
        "w": .writeOut,
    ]

    /// The prefix of every pin. curl treats any other text as a file name.
    static let pinPrefix = "\(Pin.Kind.publicKey.rawValue)//"
    static let separator: Character = ";"
    static let command = "curl"
}
