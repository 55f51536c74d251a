//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerReports

/// A JSON object in its original text, for unchanged output.
struct RawJSON: Sendable, Hashable {
    /// The object in one line. Control characters are escaped, which does not change its meaning.
    let text: String
    let fields: ScanFields

    init(object text: String) throws(ScanEntryError) {
        do throws(DocumentError) {
            self.fields = try ScanFields(try JSONDocument.parse(Array(text.utf8)))
        } catch {
            let place = error.position.map { "column \($0.column): " } ?? ""
            let message = "the line begins with a brace and is not a usable object: \(place)\(error.message)"
            throw ScanEntryError(code: .notJSON, message: message)
        }
        self.text = JSONText.escaped(text)
    }
}

/// The members of a list's object that the scan uses.
struct ScanFields: Sendable, Hashable {
    let host: String
    let port: Int?
    let connectTo: String?
    let sni: String?
    let startTLS: String?
    let id: ScanIdentifier?

    init(_ object: DocumentNode) throws(DocumentError) {
        guard let host = try object.member("host", \.string) else {
            throw DocumentError(.malformed("the object has no \"host\""))
        }
        self.host = host
        self.port = try object.member("port", \.wholeNumber)
        self.connectTo = try object.member("connectTo", \.string)
        self.sni = try object.member("sni", \.string)
        self.startTLS = try object.member("startTLS", \.string)
        self.id = try object.member("id", \.scanIdentifier)
    }
}

extension DocumentNode {
    /// Returns the value of a member, or `nil` if the member is absent or null.
    fileprivate func member<Value>(
        _ name: String, _ value: (DocumentNode) -> Value?
    ) throws(DocumentError) -> Value? {
        guard let node = self[name], !node.isNull else { return nil }
        guard let value = value(node) else {
            throw DocumentError(.malformed("\"\(name)\" has the wrong type: it is \(node.kindName)"), node.position)
        }
        return value
    }

    /// The whole number, also if it is written with a fraction of zero.
    fileprivate var wholeNumber: Int? { self.integer ?? self.real.flatMap { Int(exactly: $0) } }

    fileprivate var scanIdentifier: ScanIdentifier? {
        self.wholeNumber.map { .number($0) } ?? self.string.map { .text($0) }
    }
}
