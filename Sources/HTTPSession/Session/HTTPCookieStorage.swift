//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath
import HTTPTypes
import ServerTrust
import ServerTrustNIO
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A storage for cookies that several sessions may share.
///
/// Without one, a session stores and sends no cookies: see ``HTTPSessionConfiguration/cookies``.
public final class HTTPCookieStorage: Sendable {
    private let state: Mutex<CookieJar>
    private let now: @Sendable () -> Timestamp

    /// Creates a storage.
    ///
    /// - Parameters:
    ///   - jar: The initial cookies.
    ///   - now: A closure that returns the current time, or `nil` to use the system clock.
    public init(_ jar: CookieJar = CookieJar(), now: (@Sendable () -> Timestamp)? = nil) {
        self.state = Mutex(jar)
        self.now = now ?? { Timestamp(Date()) }
    }

    /// The current cookies.
    public var jar: CookieJar {
        get { self.state.withLock { $0 } }
        set { self.state.withLock { $0 = newValue } }
    }

    func field(for origin: CookieOrigin) -> HTTPField? {
        self.state.withLock { $0.field(for: origin, at: self.now()) }
    }

    func store(_ fields: HTTPFields, from origin: CookieOrigin) {
        guard fields.contains(.setCookie) else { return }
        _ = self.state.withLock { $0.store(fields, from: origin, at: self.now()) }
    }
}

extension HTTPURL {
    package var cookieOrigin: CookieOrigin {
        CookieOrigin(scheme: self.scheme.rawValue, host: self.host, path: String(self.path))
    }
}
