//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes
public import NIOCore

/// The head of a response (RFC 9112 §4 and §5).
///
/// ``ResponseReader`` reads it from a server.
public struct ResponseHead: Sendable {
    /// The major version of HTTP: 1 or 2.
    public var majorVersion = 1
    /// The minor version: 0 or 1 for HTTP/1, and 0 for HTTP/2.
    public var minorVersion: Int
    /// The status code of three digits.
    public var status: Int
    /// The fields in their order. Values are octets, which may not be valid text.
    public var fields: HTTPFields
    /// The octets as received, including the empty line.
    public var octets: ByteBuffer

    package init(majorVersion: Int, minorVersion: Int, status: Int, fields: HTTPFields, octets: ByteBuffer) {
        self.majorVersion = majorVersion
        self.minorVersion = minorVersion
        self.status = status
        self.fields = fields
        self.octets = octets
    }

    init(minorVersion: Int, status: Int, fields: HTTPFields, octets: ByteBuffer) {
        self.init(majorVersion: 1, minorVersion: minorVersion, status: status, fields: fields, octets: octets)
    }

    /// `true` if the status is informational, so that another response follows (RFC 9110 §15.2).
    public var isInformational: Bool { (100..<200).contains(self.status) }

    /// Returns `true` if a list field has an element, which must be given in lower case.
    package func has(_ element: String, in name: HTTPField.Name) -> Bool { self.fields.has(element, in: name) }
}

extension HTTPFields {
    /// Returns the elements of a list field in lower case (RFC 9110 §5.6.1).
    package func elements(of name: HTTPField.Name) -> [String] {
        var elements: [String] = []
        for field in self where field.name == name {
            for element in field.value.utf8.split(separator: UInt8(ascii: ",")) {
                let text = Substring(element).trimmingBlanks()
                if !text.isEmpty { elements.append(text.lowercased()) }
            }
        }
        return elements
    }

    /// Returns `true` if a list field has an element, which must be given in lower case. The case of the field's value is ignored.
    package func has(_ element: String, in name: HTTPField.Name) -> Bool {
        self.elements(of: name).contains(element)
    }

    /// Returns the value of a field as the subscript does, but without joining if there is only one.
    package func text(of name: HTTPField.Name) -> String? {
        guard let index = self.firstIndex(where: { $0.name == name }) else { return nil }
        let isAlone = !self[(index + 1)...].contains { $0.name == name }
        return isAlone ? self[index].value : self[name]
    }
}

/// The framing of the content that follows the head of a message.
public enum MessageFraming: Sendable, Hashable {
    /// No content.
    case none
    /// Content of this number of octets.
    case length(Int)
    /// Chunks and trailers.
    case chunked
    /// Content until the server closes the connection.
    case untilClose
}

/// A part of a response.
///
/// A response is any number of informational heads, one head, any number of pieces of content, and one end.
public enum ResponsePart: Sendable {
    /// An informational response before the final one, such as 103.
    case informational(ResponseHead)
    /// The head of the response.
    case head(ResponseHead)
    /// A piece of the content.
    case content(ByteBuffer)
    /// The end of the response, with its trailers.
    case end(HTTPFields)
}

extension StringProtocol where SubSequence == Substring {
    /// Returns the text without blanks and tabs at its ends (RFC 9110 §5.6.3).
    package func trimmingBlanks() -> Substring {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let octets = Substring(self).utf8
        guard let first = octets.firstIndex(where: { !isBlank($0) }),
            let last = octets.lastIndex(where: { !isBlank($0) })
        else { return Substring(octets[octets.endIndex...]) }
        return Substring(octets[first...last])
    }
}
