//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
public import NIOCore
public import ServerTrustNIO
public import TLSWire

/// The properties of the connection that carried a request: its verdict, its addresses and its proxy.
public struct ConnectionReport: Sendable {
    /// The shared storage, so that the copy in each response is a reference and not all the data of the gate.
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
    /// `true` if an earlier request used the connection.
    public internal(set) var isReused = false

    init(gated: GatedConnection, remoteAddress: SocketAddress?, proxy: ProxyHop?) {
        self.facts = Facts(gated, remoteAddress, proxy: proxy)
    }

    /// The verdict on the server and the negotiated parameters.
    public var gated: GatedConnection { self.facts.gated }
    /// The address of the peer, which is the server or the proxy.
    public var remoteAddress: SocketAddress? { self.facts.remoteAddress }
    /// The proxy, or `nil` if there is none.
    public var proxy: Proxy? { self.facts.proxy?.proxy }
    /// The proxy with its credential.
    var hop: ProxyHop? { self.facts.proxy }
    /// The exception of the Info.plist that applied, or `nil` if none did.
    package var exceptionName: String? { self.facts.exceptionName }
    package var hasProxy: Bool { self.facts.proxy != nil }
}
