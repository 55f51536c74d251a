//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
public import NIOCore
public import ServerTrustNIO
public import TLSWire

/// What came of a connection.
public struct ConnectionReport: Sendable {
    /// Every response has a copy: of a reference, and not of all that the gate found out.
    private final class Facts: Sendable {
        let gated: GatedConnection
        let remoteAddress: SocketAddress?
        let proxy: ProxyHop?
        let exceptionName: String?

        init(_ gated: GatedConnection, _ remoteAddress: SocketAddress?, proxy: ProxyHop?) {
            self.gated = gated
            self.remoteAddress = remoteAddress
            self.proxy = proxy
            self.exceptionName = gated.verdict.requirements.exception?.name
        }
    }

    private let facts: Facts
    /// Whether an earlier request used it.
    public internal(set) var isReused = false

    init(gated: GatedConnection, remoteAddress: SocketAddress?, proxy: ProxyHop?) {
        self.facts = Facts(gated, remoteAddress, proxy: proxy)
    }

    /// The verdict about the server, with what was agreed on.
    public var gated: GatedConnection { self.facts.gated }
    /// The address at the other end: the server's, or the proxy's.
    public var remoteAddress: SocketAddress? { self.facts.remoteAddress }
    /// The proxy between; `nil` for none.
    public var proxy: Proxy? { self.facts.proxy?.proxy }
    /// The proxy with its credential.
    var hop: ProxyHop? { self.facts.proxy }
    /// The exception of the Info.plist that decided; `nil` where no exception did.
    package var exceptionName: String? { self.facts.exceptionName }
    /// Whether a proxy is between.
    package var hasProxy: Bool { self.facts.proxy != nil }
}
