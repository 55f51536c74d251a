//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import HTTPSession
import HTTPTypes
import ServerTrust
import Testing

/// 2026-05-01T00:00:00Z.
let now = Timestamp(secondsSinceEpoch: 1_777_593_600)

let suffixes = PublicSuffixList(
    parsing: Array("com\norg\nexample\n*.ck\n!www.ck\n// ===BEGIN PRIVATE DOMAINS===\ngithub.io\n".utf8), sections: .all
)

func jar() -> CookieJar { CookieJar(publicSuffixes: suffixes) }

/// The request of a URL such as `https://www.example.com/path`.
func origin(_ url: String) throws -> CookieOrigin {
    let scheme = try #require(url.firstRange(of: "://"))
    let rest = url[scheme.upperBound...]
    let host = rest.prefix { $0 != "/" }
    return CookieOrigin(
        scheme: String(url[..<scheme.lowerBound]), host: try Host(String(host)),
        path: String(rest.dropFirst(host.count)))
}

extension CookieJar {
    /// Sets one cookie after the other.
    ///
    /// - Returns: Why some are refused.
    @discardableResult
    mutating func set(_ url: String, _ fields: String..., at time: Timestamp = now) throws -> [CookieRefusal.Reason] {
        let origin = try origin(url)
        return fields.compactMap { self.store(setCookie: Array($0.utf8), from: origin, at: time)?.reason }
    }

    /// What is sent to a URL; empty without cookies.
    mutating func sent(_ url: String, at time: Timestamp = now) throws -> String {
        self.header(for: try origin(url), at: time) ?? ""
    }
}

extension Timestamp {
    static func + (time: Timestamp, seconds: Int64) -> Timestamp {
        Timestamp(secondsSinceEpoch: time.secondsSinceEpoch + seconds)
    }
}
