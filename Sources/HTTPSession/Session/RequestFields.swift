//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPExchange
import HTTPTypes
import ServerTrustNIO

/// The fields of one request: what the session sends by itself, and what the program set in its place.
struct RequestFields {
    /// What the program set.
    let named: HTTPFields
    /// What the session does not send by itself.
    let omitted: Set<HTTPField.Name>
    let method: HTTPRequest.Method
    let url: HTTPURL
    /// Whether the request goes where the program sent it: what is for one origin goes to no other.
    let isAtOrigin: Bool
    /// Whether the program's request has content, which a redirect may have taken away.
    let hadContent: Bool

    /// For one origin alone.
    private static let bound: Set<HTTPField.Name> = [.authorization, .cookie, .hostName]

    /// About content, and without it about nothing (RFC 9110 §15.4).
    private static let ofContent: Set<HTTPField.Name> = [
        .contentType, .contentEncoding, .contentLanguage, .contentLocation, .contentRange, .expect, .lastModified,
        .digest, .contentDigest, .reprDigest,
    ]

    /// What the session needs for a field that the program has not set.
    struct Own {
        var authorization: HTTPField?
        var proxyAuthorization: HTTPField?
        var cookie: HTTPField?
        var userAgent: String?
        var acceptsCompressed: Bool
    }

    /// - Parameters:
    ///   - own: What the session adds.
    ///   - content: The content that goes along.
    ///   - toProxy: Whether a proxy reads the request, which alone gets its credential.
    /// - Throws: ``HTTPSessionError`` where the program frames the content in another way than it is.
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

    /// The fields that a session adds at most, in most requests.
    private static let usualCount = 6

    /// The host is first (RFC 9110 §7.2).
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

    /// Adds a field of the session where the program has set none, and left it in.
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

    /// Cookies of the store, and then those that the program names for this origin.
    private func addCookies(_ stored: HTTPField?, to fields: inout HTTPFields) {
        guard !self.omitted.contains(.cookie) else { return }
        guard stored != nil || self.isAtOrigin && self.named.contains(.cookie) else { return }
        let named = self.isAtOrigin ? self.named[fields: .cookie] : []
        let cookies = ([stored].compactMap(\.self) + named).map(\.octets)
        guard !cookies.isEmpty else { return }
        fields.append(HTTPField(name: .cookie, lenientValue: Array(cookies.joined(separator: "; ".utf8))))
    }

    /// RFC 9112 §6.2: a length where it is known, chunks where it is not; the program may choose chunks.
    private func addFraming(_ content: HTTPRequestBody, to fields: inout HTTPFields) throws {
        guard content.isPresent else {
            // Servers wait for the content of a method that has one (RFC 9110 §8.6).
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
    // All are tokens (RFC 3230, RFC 9530): what stands behind ?? is never used.
    fileprivate static let digest = HTTPField.Name("Digest") ?? .contentType
    fileprivate static let contentDigest = HTTPField.Name("Content-Digest") ?? .contentType
    fileprivate static let reprDigest = HTTPField.Name("Repr-Digest") ?? .contentType
}
