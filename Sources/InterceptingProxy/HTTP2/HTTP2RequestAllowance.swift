//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore

/// How many requests a client may give up, or send malformed, beside those that it lets be answered.
///
/// Each costs little to send and much to begin (CVE-2023-44487), whether the client or the proxy ends it (CVE-2025-8671).
struct HTTP2RequestAllowance: Sendable {
    private static let most = 1_000
    /// How many a second gives back: a program that searches while its user types gives up most of its requests.
    private static let perSecond = 20

    private var left = Self.most
    private var lastReturn = NIODeadline.now()

    /// Notes a request that was answered.
    mutating func answered() { self.left = min(self.left + 1, Self.most) }

    /// Notes a request that was given up, or ended for a fault.
    ///
    /// - Returns: Whether it is one too many.
    mutating func gaveUp(at now: NIODeadline) -> Bool {
        let seconds = max((now - self.lastReturn).nanoseconds / 1_000_000_000, 0)
        if seconds > 0 {
            self.left = min(self.left + Int(min(seconds, 3_600)) * Self.perSecond, Self.most)
            self.lastReturn = now
        }
        self.left -= 1
        return self.left < 0
    }
}
