//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// Any JSON.
package enum JSONValue: Decodable, Equatable, Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The elements; of anything else itself.
    package var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [self] }
    }

    /// Whether it is of a type of JSON Schema.
    package func isOf(_ type: String) -> Bool {
        switch (type, self) {
        case ("object", .object), ("array", .array), ("string", .string), ("boolean", .boolean), ("number", .number):
            true
        case ("integer", .number(let number)): number == number.rounded()
        default: false
        }
    }
}

/// A JSON Schema of `docs/schemas`, as far as those use the language. A keyword that is not known is a violation, and never
/// ignored.
package struct JSONSchema: Sendable {
    private let root: JSONValue
    private static let keywords: Set<String> = [
        "$schema", "$defs", "$ref", "title", "description", "type", "const", "enum", "properties", "required",
        "additionalProperties", "items",
    ]

    /// Reads the schema of a format, such as `servertrust.check/1`.
    package init(format: String) throws {
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = repository.appendingPathComponent("docs/schemas/\(format.prefix { $0 != "/" }).schema.json")
        self.root = try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: file))
    }

    /// What in a document does not follow the schema; empty where all does.
    package func violations(in document: JSONValue) -> [String] { self.check(document, self.root, "$") }

    private func check(_ value: JSONValue, _ schema: JSONValue, _ path: String) -> [String] {
        guard case .object(let members) = schema else { return ["\(path): the schema is no object"] }
        var violations = members.keys.filter { !Self.keywords.contains($0) }.map { "\(path): unknown keyword \($0)" }
        if let name = schema["$ref"]?.string?.dropFirst("#/$defs/".count) {
            guard let target = self.root["$defs"]?[String(name)] else { return ["\(path): no definition \(name)"] }
            violations += self.check(value, target, path)
        }
        if let constant = schema["const"], constant != value { violations.append("\(path): is not \(constant)") }
        if let known = schema["enum"]?.elements, !known.contains(value) {
            violations.append("\(path): \(value) is new")
        }
        if let types = schema["type"]?.elements.compactMap(\.string), !types.contains(where: value.isOf) {
            violations.append("\(path): \(value) is not of type \(types)")
        }
        if case .array(let elements) = value, let items = schema["items"] {
            violations += elements.enumerated().flatMap { self.check($1, items, "\(path)[\($0)]") }
        }
        return violations + self.checkMembers(of: value, schema, path)
    }

    private func checkMembers(of value: JSONValue, _ schema: JSONValue, _ path: String) -> [String] {
        guard case .object(let members) = value else { return [] }
        let required = schema["required"]?.elements.compactMap(\.string) ?? []
        var violations = required.filter { members[$0] == nil }.map { "\(path): lacks \($0)" }
        for (name, member) in members {
            if let property = schema["properties"]?[name] {
                violations += self.check(member, property, "\(path).\(name)")
            } else if let other = schema["additionalProperties"], other != .boolean(false) {
                violations += self.check(member, other, "\(path).\(name)")
            } else if schema["additionalProperties"] != nil {
                violations.append("\(path): does not expect \(name)")
            }
        }
        return violations
    }
}
