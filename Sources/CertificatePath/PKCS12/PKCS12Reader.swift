//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A key or a certificate of a PKCS#12 file.
struct PKCS12Bag {
    enum Kind {
        case key
        case certificate
    }

    let kind: Kind
    let item: PKCS12File.Item
}

/// A reader of the layers of a PKCS#12 file with one password (RFC 7292 §4).
struct PKCS12Reader {
    private let password: PKCS12Password
    private(set) var work: DerivationWork
    private(set) var bags: [PKCS12Bag] = []
    /// The number of elements of any kind that may still be read.
    private var remainingItems = 1_000

    /// The maximum depth of SafeContents within SafeContents, which RFC 7292 §4.2.6 allows.
    private static let maximumDepth = 4

    init(password: PKCS12Password, work: DerivationWork) {
        self.password = password
        self.work = work
    }

    /// Reads a PFX. The authentication code comes after the contents, and is checked before they are read.
    mutating func read(_ file: [UInt8]) throws {
        let file = try BERRewriter.definite(file)
        let bytes = file.span
        var outer = try DERReader.sole(.sequence, of: ByteRange(0, file.count), in: bytes)
        let start = outer.position
        guard try outer.unsigned32(in: bytes) == 3 else { throw DERError(.invalidVersion, at: start) }
        let contents = try Self.authenticatedSafe(from: &outer, in: bytes)
        if let element = try outer.optional(.sequence, in: bytes) {
            let authenticator = try PKCS12Authenticator(element.content, in: bytes)
            try authenticator.check(file.slice(contents), self.password, work: &self.work)
        }
        try outer.finish()
        try self.readAuthenticatedSafe(Array(contents, of: bytes))
    }

    /// Reads an AuthenticatedSafe. The code is computed over its octets as they are (RFC 7292 §5.1), so they are
    /// rewritten after the check.
    private mutating func readAuthenticatedSafe(_ ber: [UInt8]) throws {
        let der = try BERRewriter.definite(ber)
        let bytes = der.span
        var safe = try DERReader.sole(.sequence, of: ByteRange(0, der.count), in: bytes)
        while !safe.isAtEnd { try self.readContentInfo(from: &safe, in: bytes) }
    }

    private static func authenticatedSafe(
        from reader: inout DERReader, in bytes: Span<UInt8>
    ) throws -> ByteRange {
        var information = try reader.nested(.sequence, in: bytes)
        let (range, identifier) = try information.identifier(in: bytes)
        guard identifier != Identifier.signedData else { throw PKCS12Error.publicKeyIntegrity }
        guard identifier == Identifier.data else { throw PKCS12Error.unsupportedAlgorithm(OID(range, of: bytes)) }
        let contents = try Self.explicitOctets(from: &information, in: bytes)
        try information.finish()
        return contents
    }

    /// Reads `[0] EXPLICIT OCTET STRING`.
    private static func explicitOctets(
        from reader: inout DERReader, in bytes: Span<UInt8>
    ) throws(DERError) -> ByteRange {
        var wrapper = try reader.nested(.constructed(0), in: bytes)
        let contents = try wrapper.next(.octetString, in: bytes).content
        try wrapper.finish()
        return contents
    }

    private mutating func count() throws(PKCS12Error) {
        guard Budget.spend(&self.remainingItems) else { throw .tooManyItems }
    }

    /// Reads one part of the file, encrypted or not.
    private mutating func readContentInfo(from reader: inout DERReader, in bytes: Span<UInt8>) throws {
        try self.count()
        var information = try reader.nested(.sequence, in: bytes)
        let (range, identifier) = try information.identifier(in: bytes)
        switch identifier {
        case Identifier.data:
            let contents = try Self.explicitOctets(from: &information, in: bytes)
            try self.readSafeContents(BERRewriter.definite(Array(contents, of: bytes)))
        case Identifier.encryptedData:
            var wrapper = try information.nested(.constructed(0), in: bytes)
            let contents = try self.decryptedContents(from: &wrapper, in: bytes)
            try wrapper.finish()
            try self.readSafeContents(contents)
        default: throw PKCS12Error.unsupportedAlgorithm(OID(range, of: bytes))
        }
        try information.finish()
    }

    /// Decrypts EncryptedData (RFC 2315 §13) with plain data as its contents.
    private mutating func decryptedContents(
        from reader: inout DERReader, in bytes: Span<UInt8>
    ) throws -> [UInt8] {
        var data = try reader.nested(.sequence, in: bytes)
        let start = data.position
        guard try data.unsigned32(in: bytes) == 0 else { throw DERError(.invalidVersion, at: start) }
        var information = try data.nested(.sequence, in: bytes)
        let (range, identifier) = try information.identifier(in: bytes)
        guard identifier == Identifier.data else { throw PKCS12Error.unsupportedAlgorithm(OID(range, of: bytes)) }
        let encryption = try PasswordBasedEncryption(from: &information, in: bytes)
        let encrypted = try Self.implicitOctets(from: &information, in: bytes)
        try information.finish()
        return try self.decryptedSequence(encrypted, encryption)
    }

    /// Reads `[0] IMPLICIT OCTET STRING`. The rewriter cannot recognize it as a string by its tag, so its parts are
    /// joined here (X.690 §8.14.3, §8.7.3.2).
    private static func implicitOctets(
        from reader: inout DERReader, in bytes: Span<UInt8>
    ) throws(DERError) -> [UInt8] {
        guard let string = try reader.optional(.constructed(0), in: bytes) else {
            return Array(try reader.next(.primitive(0), in: bytes).content, of: bytes)
        }
        var parts = DERReader(string.content, in: bytes)
        var octets: [UInt8] = []
        while !parts.isAtEnd { octets += try parts.octets(in: bytes) }
        return octets
    }

    /// Decrypts a sequence. Other plaintext means a wrong password, because one wrong padding in 256 is valid by chance.
    private mutating func decryptedSequence(
        _ encrypted: [UInt8], _ encryption: PasswordBasedEncryption
    ) throws -> [UInt8] {
        let ber = try encryption.decrypt(encrypted, self.password, work: &self.work)
        guard ber.first == DERTag.sequence.octet, (try? BERRewriter.definite(ber, levels: 0)) != nil else {
            throw PKCS12Error.wrongPassword
        }
        return try BERRewriter.definite(ber)
    }

    private mutating func readSafeContents(_ der: [UInt8]) throws {
        try self.readSafeContents(ByteRange(0, der.count), in: der.span)
    }

    private mutating func readSafeContents(_ range: ByteRange, depth: Int = 0, in bytes: Span<UInt8>) throws {
        guard depth < Self.maximumDepth else { throw PKCS12Error.tooManyItems }
        var bags = try DERReader.sole(.sequence, of: range, in: bytes)
        while !bags.isAtEnd {
            try self.count()
            var bag = try bags.nested(.sequence, in: bytes)
            let identifier = try bag.packedIdentifier(in: bytes)
            let value = try bag.next(.constructed(0), in: bytes).content
            let localKeyID = try self.localKeyID(from: &bag, in: bytes)
            try bag.finish()
            if identifier == Identifier.safeContentsBag {
                try self.readSafeContents(value, depth: depth + 1, in: bytes)
            } else if let (kind, der) = try self.value(of: identifier, value, in: bytes) {
                self.bags.append(PKCS12Bag(kind: kind, item: .init(der: der, localKeyID: localKeyID)))
            }
        }
    }

    /// Returns the value of a bag, or `nil` for revocation lists, secrets and kinds of certificates that TLS does not use.
    private mutating func value(
        of identifier: PackedOID, _ range: ByteRange, in bytes: Span<UInt8>
    ) throws -> (PKCS12Bag.Kind, [UInt8])? {
        switch identifier {
        case Identifier.keyBag:
            _ = try DERReader.sole(.sequence, of: range, in: bytes)
            return (.key, Array(range, of: bytes))
        case Identifier.shroudedKeyBag: return (.key, try self.shroudedKey(range, in: bytes))
        case Identifier.certificateBag:
            var bag = try DERReader.sole(.sequence, of: range, in: bytes)
            guard try bag.packedIdentifier(in: bytes) == Identifier.x509Certificate else { return nil }
            let certificate = try Self.explicitOctets(from: &bag, in: bytes)
            try bag.finish()
            return (.certificate, Array(certificate, of: bytes))
        default: return nil
        }
    }

    /// Decrypts EncryptedPrivateKeyInfo (RFC 5208 §6).
    private mutating func shroudedKey(_ range: ByteRange, in bytes: Span<UInt8>) throws -> [UInt8] {
        var information = try DERReader.sole(.sequence, of: range, in: bytes)
        let encryption = try PasswordBasedEncryption(from: &information, in: bytes)
        let encrypted = try information.octets(in: bytes)
        try information.finish()
        return try self.decryptedSequence(encrypted, encryption)
    }

    private mutating func localKeyID(from bag: inout DERReader, in bytes: Span<UInt8>) throws -> [UInt8]? {
        guard let set = try bag.optional(.set, in: bytes) else { return nil }
        var attributes = DERReader(set.content, in: bytes)
        var found: [UInt8]?
        while !attributes.isAtEnd {
            try self.count()
            var attribute = try attributes.nested(.sequence, in: bytes)
            let identifier = try attribute.packedIdentifier(in: bytes)
            var values = try attribute.nested(.set, in: bytes)
            try attribute.finish()
            guard identifier == Identifier.localKeyID else { continue }
            found = try values.octets(in: bytes)
        }
        return found
    }
}

/// The object identifiers of RFC 7292 §4 and of the standards that it uses.
private enum Identifier {
    /// The arc of PKCS#7, 1.2.840.113549.1.7. Data is its number 1.
    static let data = PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01])
    static let signedData = PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02])
    static let encryptedData = PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x06])
    /// The arc of PKCS#12 bags, 1.2.840.113549.1.12.10.1.
    static let keyBag = PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01, 0x01])
    static let shroudedKeyBag = PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01, 0x02])
    static let certificateBag = PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01, 0x03])
    static let safeContentsBag = PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01, 0x06])
    /// The arc of PKCS#9, 1.2.840.113549.1.9.
    static let x509Certificate = PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x16, 0x01])
    static let localKeyID = PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x15])
}
