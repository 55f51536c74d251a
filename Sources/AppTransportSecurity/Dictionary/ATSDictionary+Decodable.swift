//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

extension ATSDictionary: Decodable {
    /// Reads the value of `NSAppTransportSecurity` from a decoder, which knows no lines.
    ///
    /// Of a value that is no dictionary nothing is left but an issue.
    public init(from decoder: any Decoder) throws {
        self.init(try DecodedNode(from: decoder).node)
    }
}

/// Whatever a decoder has, booleans and numbers apart.
private struct DecodedNode: Decodable {
    let node: DocumentNode

    init(from decoder: any Decoder) throws {
        self.node = DocumentNode(try Self.value(decoder), at: nil)
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private static func value(_ decoder: any Decoder) throws -> DocumentNode.Value {
        if let container = try? decoder.container(keyedBy: Key.self) {
            return .dictionary(
                // In one order, whichever the decoder keeps them in.
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
        // What is left is a number out of a Double's range, such as 1e400: a number all the same, and none that means on.
        return .real(.infinity)
    }
}
