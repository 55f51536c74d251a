//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

extension ATSDictionary: Decodable {
    /// Reads the value of `NSAppTransportSecurity` from a decoder, which knows no lines.
    ///
    /// Of a value that is no dictionary nothing is left but an issue.
    ///
    /// - Throws: `DecodingError` for more levels or values than a property list may have.
    public init(from decoder: any Decoder) throws {
        let node = try DecodedNode(from: decoder).node
        guard node.isSmall else {
            throw DecodedNode.corrupted(decoder, "there are more than \(DecodedNode.limits.maximumNodes) values")
        }
        self.init(node)
    }
}

/// Whatever a decoder has, booleans and numbers apart.
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

extension DocumentNode {
    /// Whether the node has no more values in it than a property list may have. The depth is bounded before.
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
