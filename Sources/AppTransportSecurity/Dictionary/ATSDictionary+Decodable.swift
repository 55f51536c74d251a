//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

extension ATSDictionary: Decodable {
    /// Reads the value of `NSAppTransportSecurity` from a decoder, which has no line numbers.
    ///
    /// A value other than a dictionary becomes an empty dictionary with an issue.
    ///
    /// - Throws: `DecodingError` if there are more levels or values than the limits of property lists allow.
    public init(from decoder: any Decoder) throws {
        let node = try DecodedNode(from: decoder).node
        guard node.isSmall else {
            throw DecodedNode.corrupted(decoder, "there are more than \(DecodedNode.limits.maximumNodes) values")
        }
        self.init(node)
    }
}

/// A decoder's value, with Booleans and numbers kept apart.
private struct DecodedNode: Decodable {
    let node: DocumentNode

    static let limits = DocumentLimits()

    init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= Self.limits.maximumDepth else {
            throw Self.corrupted(decoder, "values are nested in more than \(Self.limits.maximumDepth) others")
        }
        self.node = DocumentNode(try Self.value(decoder), at: nil)
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    static func corrupted(_ decoder: any Decoder, _ description: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: decoder.codingPath, debugDescription: description))
    }

    private static func value(_ decoder: any Decoder) throws -> DocumentNode.Value {
        if let container = try? decoder.container(keyedBy: Key.self) {
            return .dictionary(
                // In a fixed order, because decoders may have any.
                try container.allKeys.sorted { $0.stringValue < $1.stringValue }.map { key in
                    DocumentEntry(
                        key: key.stringValue, keyPosition: nil,
                        value: try container.decode(DecodedNode.self, forKey: key).node)
                })
        }
        if var container = try? decoder.unkeyedContainer() {
            var nodes: [DocumentNode] = []
            while !container.isAtEnd { nodes.append(try container.decode(DecodedNode.self).node) }
            return .array(nodes)
        }
        return try Self.single(decoder.singleValueContainer())
    }

    private static func single(_ container: any SingleValueDecodingContainer) throws -> DocumentNode.Value {
        if container.decodeNil() { return .null }
        if let boolean = try? container.decode(Bool.self) { return .boolean(boolean) }
        if let integer = try? container.decode(Int.self) { return .integer(integer) }
        if let real = try? container.decode(Double.self) { return .real(real) }
        if let text = try? container.decode(String.self) { return .string(text) }
        // The only remaining value is a number beyond the range of Double, such as 1e400. It is a number that does not mean "on".
        return .real(.infinity)
    }
}

extension DocumentNode {
    fileprivate var isSmall: Bool {
        var rest = [self]
        var count = 0
        while let node = rest.popLast() {
            count += 1
            guard count <= DecodedNode.limits.maximumNodes else { return false }
            switch node.value {
            case .array(let nodes): rest += nodes
            case .dictionary(let entries): rest += entries.map(\.value)
            default: continue
            }
        }
        return true
    }
}
