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

    /// The method on the stream. Another protocol begins with CONNECT (RFC 8441 §4).
    var method: HTTPRequest.Method { self.request.asksForUpgrade ? .connect : self.request.head.method }

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
        headers.add(name: ":method", value: self.method.rawValue, indexing: indexing)
        for name in protocols { headers.add(name: ":protocol", value: name, indexing: indexing) }
        headers.add(name: ":scheme", value: "https")
        // It seldom comes again, and would push out what does.
        headers.add(name: ":path", value: head.target, indexing: .nonIndexable)
        headers.add(name: ":authority", value: authority, indexing: indexing)
        let own = head.fields.lazy.filter { !(self.request.asksForUpgrade && $0.name == .secWebSocketKey) }
        headers.add(own.filter { !Self.isOfConnection($0) }, keepsFields: keepsFields)
        return headers
    }

    /// The fields behind content (RFC 9113 §8.1).
    static func trailers(_ fields: HTTPFields, keepsFields: Bool) -> HPACKHeaders {
        var headers = HPACKHeaders()
        headers.add(fields.lazy.filter { !Self.isOfConnection($0) }, keepsFields: keepsFields)
        return headers
    }

    /// Whether a field is about a connection of HTTP/1.1, or says what `:authority` says (§8.2.2, §8.3.1).
    private static func isOfConnection(_ field: HTTPField) -> Bool {
        switch field.name.canonicalName {
        case "host", "http2-settings": true
        case "te": field.value.lowercased() != "trailers"
        case let name: HTTPField.connectionFields.contains(name)
        }
    }
}
