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

/// The cookies of a session, or of several that share them.
public final class HTTPCookieStorage: Sendable {
    private let state: Mutex<CookieJar>
    private let now: @Sendable () -> Timestamp

    /// A storage.
    ///
    /// - Parameters:
    ///   - jar: The cookies that are there from the beginning.
    ///   - now: The present; `nil` for that of the system.
    public init(_ jar: CookieJar = CookieJar(), now: (@Sendable () -> Timestamp)? = nil) {
        self.state = Mutex(jar)
        self.now = now ?? { Timestamp(Date()) }
    }

    /// The cookies as they are now.
    public var jar: CookieJar {
        get { self.state.withLock { $0 } }
        set { self.state.withLock { $0 = newValue } }
    }

    /// The Cookie field of a request.
    func field(for origin: CookieOrigin) -> HTTPField? {
        self.state.withLock { $0.field(for: origin, at: self.now()) }
    }

    /// Keeps what a response sets.
    func store(_ fields: HTTPFields, from origin: CookieOrigin) {
        guard fields.contains(.setCookie) else { return }
        _ = self.state.withLock { $0.store(fields, from: origin, at: self.now()) }
    }
}

extension HTTPURL {
    /// What cookies are set and sent for.
    package var cookieOrigin: CookieOrigin {
        CookieOrigin(scheme: self.scheme.rawValue, host: self.host, path: String(self.path))
    }
}
