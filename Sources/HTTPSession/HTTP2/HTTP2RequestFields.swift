//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import NIOHPACK

/// A request of HTTP/1.1 in the fields of HTTP/2 (RFC 9113 §8.3.1).
struct HTTP2RequestFields {
    let request: ExchangeRequest

    init(_ request: ExchangeRequest) { self.request = request }

    /// The fields; `nil` for a request that HTTP/2 cannot say: without an authority, through a tunnel, or for several protocols.
    ///
    /// - Parameter keepsFields: Whether fields go into the table that both ends keep (RFC 7541 §2.3.2).
    func headers(keepsFields: Bool) -> HPACKHeaders? {
        let head = self.request.head
        // A program that leaves the Host field out means that of HTTP/1.1.
        guard let authority = head.fields[.hostName] ?? self.request.authority, !authority.isEmpty,
            head.method != .connect
        else { return nil }
        let protocols = self.request.asksForUpgrade ? head.fields.elements(of: .upgrade) : []
        guard protocols.count == 1 || !self.request.asksForUpgrade else { return nil }
        var headers = HPACKHeaders()
        headers.reserveCapacity(head.fields.count + 4)
        let indexing = keepsFields ? HPACKIndexing.indexable : .nonIndexable
        let method = self.request.asksForUpgrade ? HTTPRequest.Method.connect : head.method
        headers.add(name: ":method", value: method.rawValue, indexing: indexing)
        // A stream of another protocol (RFC 8441 §4).
        for name in protocols { headers.add(name: ":protocol", value: name, indexing: indexing) }
        headers.add(name: ":scheme", value: "https")
        // It seldom comes again, and would push out what does.
        headers.add(name: ":path", value: head.target, indexing: .nonIndexable)
        headers.add(name: ":authority", value: authority, indexing: indexing)
        let own = head.fields.lazy.filter { !(self.request.asksForUpgrade && $0.name == .secWebSocketKey) }
        Self.add(own, to: &headers, indexing)
        return headers
    }

    /// The fields behind content (RFC 9113 §8.1).
    static func trailers(_ fields: HTTPFields, keepsFields: Bool) -> HPACKHeaders {
        var headers = HPACKHeaders()
        Self.add(fields, to: &headers, keepsFields ? .indexable : .nonIndexable)
        return headers
    }

    private static func add(
        _ fields: some Sequence<HTTPField>, to headers: inout HPACKHeaders, _ indexing: HPACKIndexing
    ) {
        for field in fields where !Self.isOfConnection(field) {
            headers.add(
                name: field.name.canonicalName, value: field.value,
                indexing: Self.secret.contains(field.name) ? .neverIndexed : indexing)
        }
    }

    /// Whether a field is about a connection of HTTP/1.1, or says what `:authority` says (§8.2.2, §8.3.1).
    private static func isOfConnection(_ field: HTTPField) -> Bool {
        switch field.name {
        case .hostName, .connection, .transferEncoding, .upgrade, .proxyConnection, .keepAlive, .http2Settings: true
        case .te: field.value.lowercased() != "trailers"
        default: false
        }
    }

    /// What must not be found out by guesses at the table of fields (RFC 7541 §7.1.3).
    private static let secret: Set<HTTPField.Name> = [.authorization, .proxyAuthorization, .cookie]
}

extension HTTPField.Name {
    // All are tokens: the names behind ?? are never used.
    static let keepAlive = HTTPField.Name("Keep-Alive") ?? .connection
    static let http2Settings = HTTPField.Name("HTTP2-Settings") ?? .connection
}
