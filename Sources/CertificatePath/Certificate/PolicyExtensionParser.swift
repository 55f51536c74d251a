//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The parsers of the extensions that constrain a path: policies, their mappings and constraints, name constraints,
/// revocation pointers and qualified statements.
extension ExtensionTable {
    mutating func readCertificatePolicies(_ value: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = try DERReader.sole(.sequence, of: value, in: bytes)
        self.certificatePolicies = ByteRange(reader.position, reader.end)
        var count = 0
        repeat {
            var information = try reader.nested(.sequence, in: bytes)
            _ = try information.objectIdentifier(in: bytes)
            _ = try information.optional(.sequence, in: bytes)
            try information.finish()
            try Self.count(&count, at: value)
        } while !reader.isAtEnd
    }

    mutating func readPolicyMappings(_ value: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = try DERReader.sole(.sequence, of: value, in: bytes)
        self.policyMappings = ByteRange(reader.position, reader.end)
        var count = 0
        repeat {
            var mapping = try reader.nested(.sequence, in: bytes)
            _ = try mapping.objectIdentifier(in: bytes)
            _ = try mapping.objectIdentifier(in: bytes)
            try mapping.finish()
            try Self.count(&count, at: value)
        } while !reader.isAtEnd
    }

    /// Reads policy constraints. RFC 5280 §4.2.1.11 forbids an empty extension. Reading it as "no constraint" would be
    /// the lenient choice, so it is malformed.
    mutating func readPolicyConstraints(_ value: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = try DERReader.sole(.sequence, of: value, in: bytes)
        guard !reader.isAtEnd else { throw DERError(.emptyCollection, at: value.lowerBound) }
        if reader.peekTag(in: bytes) == .primitive(0) {
            self.requireExplicitPolicy = try reader.unsigned32(.primitive(0), in: bytes)
        }
        if reader.peekTag(in: bytes) == .primitive(1) {
            self.inhibitPolicyMapping = try reader.unsigned32(.primitive(1), in: bytes)
        }
        try reader.finish()
    }

    mutating func readInhibitAnyPolicy(_ value: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = DERReader(value, in: bytes)
        self.inhibitAnyPolicy = try reader.unsigned32(in: bytes)
        try reader.finish()
    }

    mutating func readNameConstraints(_ value: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = try DERReader.sole(.sequence, of: value, in: bytes)
        let content = ByteRange(reader.position, reader.end)
        // RFC 5280 §4.2.1.10 forbids an empty extension. An empty permission would otherwise mean no restriction at all.
        guard !reader.isAtEnd else { throw DERError(.emptyCollection, at: value.lowerBound) }
        for number in UInt8(0)...1 {
            guard let subtrees = try reader.optional(.constructed(number), in: bytes) else { continue }
            try Self.checkSubtrees(subtrees.content, in: bytes)
        }
        try reader.finish()
        self.nameConstraints = content
    }

    private static func checkSubtrees(_ content: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        guard !content.isEmpty else { throw DERError(.emptyCollection, at: content.lowerBound) }
        var reader = DERReader(content, in: bytes)
        while !reader.isAtEnd {
            var subtree = try reader.nested(.sequence, in: bytes)
            _ = try subtree.generalName(in: bytes)
            // RFC 5280 §4.2.1.10 requires a minimum of zero and no maximum for every form of name.
            if subtree.peekTag(in: bytes) == .primitive(0), try subtree.unsigned32(.primitive(0), in: bytes) != 0 {
                throw DERError(.invalidCombination, at: content.lowerBound)
            }
            try subtree.finish()
        }
    }

    mutating func readDistributionPoints(_ value: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = try DERReader.sole(.sequence, of: value, in: bytes)
        self.crlDistributionPoints = ByteRange(reader.position, reader.end)
        var count = 0
        repeat {
            var point = try reader.nested(.sequence, in: bytes)
            let name = try point.optional(.constructed(0), in: bytes)
            _ = try point.optional(.primitive(1), in: bytes)
            let issuer = try point.optional(.constructed(2), in: bytes)
            guard name != nil || issuer != nil else { throw DERError(.invalidCombination, at: value.lowerBound) }
            if let name { try Self.checkDistributionPointName(name.content, in: bytes) }
            if let issuer { try DERReader.checkGeneralNames(issuer.content, in: bytes) }
            try point.finish()
            try Self.count(&count, at: value)
        } while !reader.isAtEnd
    }

    private static func checkDistributionPointName(_ content: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = DERReader(content, in: bytes)
        if let fullName = try reader.optional(.constructed(0), in: bytes) {
            try DERReader.checkGeneralNames(fullName.content, in: bytes)
        } else {
            _ = try reader.next(.constructed(1), in: bytes)
        }
        try reader.finish()
    }

    /// The type id-etsi-qcs-QcType (ETSI EN 319 412-5 §4.2.3).
    private static let qcType = PackedOID([0x04, 0x00, 0x8E, 0x46, 0x01, 0x06])

    static func checkQualifiedStatements(_ value: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = try DERReader.sole(.sequence, of: value, in: bytes)
        guard !reader.isAtEnd else { throw DERError(.emptyCollection, at: value.lowerBound) }
        var count = 0
        repeat {
            var statement = try reader.nested(.sequence, in: bytes)
            let identifier = try statement.packedIdentifier(in: bytes)
            let information = statement.isAtEnd ? nil : try statement.next(in: bytes)
            try statement.finish()
            if identifier == Self.qcType, let information { try Self.checkQcType(information, in: bytes) }
            try Self.count(&count, at: value)
        } while !reader.isAtEnd
    }

    /// Checks `QcType ::= SEQUENCE OF OBJECT IDENTIFIER`. A certificate has exactly one type (ETSI EN 319 412-5 §4.2.3).
    private static func checkQcType(_ information: DERElement, in bytes: Span<UInt8>) throws(DERError) {
        var types = try DERReader.sole(.sequence, of: information.whole, in: bytes)
        _ = try types.objectIdentifier(in: bytes)
        try types.finish()
    }
}
