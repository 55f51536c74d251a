//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import NIOHPACK

/// A converter of an HTTP/1.1 request to the fields of HTTP/2 (RFC 9113 §8.3.1).
struct HTTP2RequestFields {
    let request: ExchangeRequest

    init(_ request: ExchangeRequest) { self.request = request }

    /// The method on the stream, which is CONNECT for a request of another protocol (RFC 8441 §4).
    var method: HTTPRequest.Method { self.request.asksForUpgrade ? .connect : self.request.head.method }

    /// Returns the fields, or `nil` for a request that HTTP/2 cannot express.
    ///
    /// Such a request has no authority, is a CONNECT, or asks for several protocols.
    ///
    /// - Parameter keepsFields: `true` to add fields to the dynamic table (RFC 7541 §2.3.2).
    func headers(keepsFields: Bool) -> HPACKHeaders? {
        let head = self.request.head
        // If the program omits the Host field, `:authority` is still sent, because only the field of HTTP/1.1 is meant.
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
        // The path is rarely repeated and would evict useful entries.
        headers.add(name: ":path", value: head.target, indexing: .nonIndexable)
        headers.add(name: ":authority", value: authority, indexing: indexing)
        let own = head.fields.lazy.filter { !(self.request.asksForUpgrade && $0.name == .secWebSocketKey) }
        headers.add(own.filter { !Self.isOfConnection($0) }, keepsFields: keepsFields)
        return headers
    }

    /// Returns the trailer fields (RFC 9113 §8.1).
    static func trailers(_ fields: HTTPFields, keepsFields: Bool) -> HPACKHeaders {
        var headers = HPACKHeaders()
        headers.add(fields.lazy.filter { !Self.isOfConnection($0) }, keepsFields: keepsFields)
        return headers
    }

    /// Returns `true` if a field concerns an HTTP/1.1 connection or repeats `:authority` (§8.2.2, §8.3.1).
    private static func isOfConnection(_ field: HTTPField) -> Bool {
        switch field.name.canonicalName {
        case "host", "http2-settings": true
        case "te": field.value.lowercased() != "trailers"
        case let name: HTTPField.connectionFields.contains(name)
        }
    }
}
