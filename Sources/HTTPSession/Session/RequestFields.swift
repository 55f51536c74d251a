//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPExchange
import HTTPTypes
import ServerTrustNIO

/// The fields of one request: those of the session and those of the program that replace them.
struct RequestFields {
    let named: HTTPFields
    /// The names of the fields that the session must not add.
    let omitted: Set<HTTPField.Name>
    let method: HTTPRequest.Method
    let url: HTTPURL
    /// `true` if the request goes to the origin that the program named. Some fields must not be sent to others.
    let isAtOrigin: Bool
    /// `true` if the program's request has content, which a redirect may have removed.
    let hadContent: Bool

    /// The fields for the original origin only.
    private static let bound: Set<HTTPField.Name> = [.authorization, .cookie, .hostName]

    /// The fields that describe content and are removed together with it (RFC 9110 §15.4).
    private static let ofContent: Set<HTTPField.Name> = [
        .contentType, .contentEncoding, .contentLanguage, .contentLocation, .contentRange, .expect, .lastModified,
        .digest, .contentDigest, .reprDigest,
    ]

    /// The values of the fields that the session adds unless the program has set them.
    struct Own {
        var authorization: HTTPField?
        var proxyAuthorization: HTTPField?
        var cookie: HTTPField?
        var userAgent: String?
        var acceptsCompressed: Bool
    }

    /// Returns the fields to send.
    ///
    /// - Parameters:
    ///   - own: The values of the session.
    ///   - content: The content to send.
    ///   - toProxy: `true` if a proxy reads the request. Only then its credential is sent.
    /// - Throws: ``HTTPSessionError`` if the program's framing fields contradict the content.
    func fields(_ own: Own, content: HTTPRequestBody, toProxy: Bool) throws -> HTTPFields {
        var fields = HTTPFields()
        fields.reserveCapacity(self.named.count + Self.usualCount)
        self.addHost(to: &fields)
        self.add(own.authorization, to: &fields)
        if toProxy { self.add(own.proxyAuthorization, to: &fields) }
        if let agent = own.userAgent { self.add(.userAgent, agent, to: &fields) }
        self.add(.accept, "*/*", to: &fields)
        if own.acceptsCompressed { self.add(.acceptEncoding, "gzip, deflate", to: &fields) }
        self.addCookies(own.cookie, to: &fields)
        for field in self.named where self.isSent(field, content, toProxy: toProxy) {
            if field.name != .hostName { fields.append(field) }
        }
        try self.addFraming(content, to: &fields)
        return fields
    }

    /// The number of fields that a session adds to most requests, for the initial capacity.
    private static let usualCount = 6

    /// Adds the Host field, which comes first (RFC 9110 §7.2).
    private func addHost(to fields: inout HTTPFields) {
        let host = self.isAtOrigin ? self.named.last { $0.name == .hostName } : nil
        if let host {
            fields.append(HTTPField(name: .hostName, value: host.value))
        } else if !self.omitted.contains(.hostName) {
            fields.append(HTTPField(name: .hostName, value: self.url.authority))
        }
    }

    private func isSent(_ field: HTTPField, _ content: HTTPRequestBody, toProxy: Bool) -> Bool {
        if field.name == .cookie { return false }
        if field.name == .proxyAuthorization { return toProxy }
        if field.name == .contentLength || field.name == .transferEncoding { return false }
        if content.isPresent != self.hadContent, Self.ofContent.contains(field.name) { return false }
        return self.isAtOrigin || !Self.bound.contains(field.name)
    }

    /// Adds a field of the session unless the program has set or omitted it.
    private func add(_ name: HTTPField.Name, _ value: String, to fields: inout HTTPFields) {
        if self.adds(name) { fields.append(HTTPField(name: name, value: value)) }
    }

    private func add(_ field: HTTPField?, to fields: inout HTTPFields) {
        if let field, self.adds(field.name) { fields.append(field) }
    }

    private func adds(_ name: HTTPField.Name) -> Bool {
        guard !self.omitted.contains(name) else { return false }
        let isReplaced = self.named.contains(name) && (self.isAtOrigin || !Self.bound.contains(name))
        return !isReplaced
    }

    /// Adds stored cookies, followed by those of the program for this origin.
    private func addCookies(_ stored: HTTPField?, to fields: inout HTTPFields) {
        guard !self.omitted.contains(.cookie) else { return }
        guard stored != nil || self.isAtOrigin && self.named.contains(.cookie) else { return }
        let named = self.isAtOrigin ? self.named[fields: .cookie] : []
        let cookies = ([stored].compactMap(\.self) + named).map(\.octets)
        guard !cookies.isEmpty else { return }
        fields.append(HTTPField(name: .cookie, lenientValue: Array(cookies.joined(separator: "; ".utf8))))
    }

    /// Adds the framing fields (RFC 9112 §6.2): a length if it is known, otherwise chunked. The program may choose chunked itself.
    private func addFraming(_ content: HTTPRequestBody, to fields: inout HTTPFields) throws {
        guard content.isPresent else {
            // Servers expect a length for methods that usually have content (RFC 9110 §8.6).
            if Self.methodsOfContent.contains(self.method), !self.omitted.contains(.contentLength) {
                fields[.contentLength] = "0"
            }
            return
        }
        let codings = self.named[values: .transferEncoding]
        let lengths = self.named[values: .contentLength]
        if codings.map({ $0.lowercased() }) == ["chunked"], lengths.isEmpty {
            fields[.transferEncoding] = "chunked"
            return
        }
        guard codings.isEmpty else { throw self.error("Transfer-Encoding can be chunked alone.") }
        let given = lengths.compactMap { Int($0) }
        guard given.count == lengths.count, given.count <= 1,
            given.first == nil || content.length == nil || given.first == content.length
        else { throw self.error("Content-Length has another value than the content.") }
        if let length = given.first ?? content.length {
            fields[.contentLength] = String(length)
        } else {
            fields[.transferEncoding] = "chunked"
        }
    }

    private static let methodsOfContent: [HTTPRequest.Method] = [.post, .put, .patch]

    private func error(_ reason: String) -> HTTPSessionError {
        HTTPSessionError(.requestBody, .badURL, url: self.url, reason: reason, remedy: "Leave the field out.")
    }
}

extension HTTPField.Name {
    // All names are valid tokens (RFC 3230, RFC 9530), so that the fallbacks are never used.
    fileprivate static let digest = HTTPField.Name("Digest") ?? .contentType
    fileprivate static let contentDigest = HTTPField.Name("Content-Digest") ?? .contentType
    fileprivate static let reprDigest = HTTPField.Name("Repr-Digest") ?? .contentType
}
