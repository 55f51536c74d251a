//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A JSON object as it was written, to be handed on as it is.
struct RawJSON: Sendable, Hashable {
    /// The object in one line. Characters that a terminal would obey are escaped, which changes nothing of what it says.
    let text: String
    /// What it says to this program.
    let fields: ScanFields

    /// Reads an object.
    init(object text: String) throws(ScanEntryError) {
        if let fault = JSONSyntax.fault(in: text) { throw Self.error(at: fault) }
        do {
            self.fields = try JSONDecoder().decode(ScanFields.self, from: Data(text.utf8))
        } catch let error as DecodingError {
            throw ScanEntryError(code: "not-json", message: Self.message(for: error))
        } catch {
            throw ScanEntryError(code: "not-json", message: "the line begins with a brace and is not a JSON object")
        }
        self.text = JSONText.escaped(text)
    }

    private static func error(at fault: Substring) -> ScanEntryError {
        let place =
            fault.isEmpty ? "ends too soon" : "stops being JSON at \"\(PrintableText.text(String(fault.prefix(20))))\""
        return ScanEntryError(code: "not-json", message: "the line begins with a brace and \(place)")
    }

    private static func message(for error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "the object has no \"\(PrintableText.text(key.stringValue))\""
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\"\(PrintableText.text(context.codingPath.map(\.stringValue).joined(separator: ".")))\" is of the wrong type"
        default: "the line begins with a brace and is not a JSON object"
        }
    }
}

/// What an object of a list may say.
struct ScanFields: Decodable, Sendable, Hashable {
    let host: String
    let port: Int?
    let connectTo: String?
    let sni: String?
    let startTLS: String?
    let id: ScanIdentifier?
}

/// Whatever a list calls a server by.
enum ScanIdentifier: Codable, Sendable, Hashable {
    case number(Int)
    case text(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        }
    }
}
