//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import TestSupport
import Testing

extension CraftedCertificate {
    /// Copies a certificate field by field, so that its authority can issue it again with one thing changed.
    ///
    /// - Parameters:
    ///   - view: The certificate. What is wrong with it is copied as well.
    ///   - signer: The key of the issuer.
    init(copying view: CertificateView, signer: TestKey) throws {
        let parts = DERPieces(view.bytes)
        var fields = DERPieces(parts[0].whole)
        self = FaultScene.issuer.leafTemplate()
        self.version = fields[0].whole[0] == 0xA0 ? fields.removeFirst().whole : []
        (self.serialNumber, self.issuer, self.subject, self.key) =
            (fields[0].whole, fields[2].whole, fields[4].whole, fields[5].whole)
        let validity = DERPieces(fields[3].whole)
        (self.notBefore, self.notAfter) = (validity[0].whole, validity[1].whole)
        self.extensions = fields.last.flatMap { $0.whole[0] == 0xA3 ? $0 : nil }.map(Self.extensions) ?? []
        self.signer = signer
        try self.copyAlgorithm(inner: fields[1].whole, outer: parts[1].whole, signature: parts[2].content)
    }

    private static func extensions(_ field: DERPieces.Piece) -> [TestExtension] {
        DERPieces(DERPieces(field.whole)[0].whole).pieces.map { item in
            let parts = DERPieces(item.whole)
            return TestExtension(
                OID(contents: parts[0].content).description, critical: parts.pieces.count == 3,
                parts.pieces.last?.content ?? [])
        }
    }

    /// Keeps the algorithm that the old certificate has, or its signature where no key here makes such ones.
    private mutating func copyAlgorithm(inner: [UInt8], outer: [UInt8], signature: [UInt8]) throws {
        (self.innerAlgorithm, self.outerAlgorithm) = (inner, outer)
        let known: [TestAlgorithm] = [
            .ecdsaSHA1, .ecdsaSHA256, .ecdsaSHA384, .ecdsaSHA512, .rsaSHA1, .rsaSHA256, .pssSHA256,
        ]
        guard let algorithm = known.first(where: { $0.identifier == inner }) else {
            self.signature = Array(signature.dropFirst())
            return
        }
        self.algorithm = algorithm
    }

    /// Has the certificate signed by the usual algorithm of its issuer's key.
    mutating func signWell() {
        self.algorithm = self.signer.algorithm
        (self.innerAlgorithm, self.outerAlgorithm, self.signature) = (nil, nil, nil)
    }

    /// The alternative names, each with its tag.
    var alternativeNames: [[UInt8]] {
        get {
            guard let item = self.extensions.first(where: { $0.oid == "2.5.29.17" }) else { return [] }
            return DERPieces(item.value).pieces.map(\.whole)
        }
        set {
            let isCritical = self.extensions.first { $0.oid == "2.5.29.17" }?.isCritical ?? false
            self.set(TestExtension("2.5.29.17", critical: isCritical, DER.list(newValue)))
        }
    }
}

/// The elements inside an element of DER.
private struct DERPieces {
    struct Piece {
        let whole: [UInt8]
        let content: [UInt8]
    }

    private(set) var pieces: [Piece] = []

    var last: Piece? { self.pieces.last }

    subscript(index: Int) -> Piece { self.pieces[index] }

    init(_ element: [UInt8]) {
        var rest = Self.first(of: element[...]).content[...]
        while !rest.isEmpty {
            let (piece, length) = Self.split(rest)
            self.pieces.append(piece)
            rest = rest.dropFirst(length)
        }
    }

    mutating func removeFirst() -> Piece { self.pieces.removeFirst() }

    private static func first(of bytes: ArraySlice<UInt8>) -> Piece { self.split(bytes).0 }

    private static func split(_ bytes: ArraySlice<UInt8>) -> (Piece, Int) {
        let octets = Array(bytes.prefix(6))
        let count = octets[1] < 0x80 ? 0 : Int(octets[1] & 0x7F)
        let length = count == 0 ? Int(octets[1]) : octets[2..<2 + count].reduce(0) { $0 << 8 | Int($1) }
        let whole = Array(bytes.prefix(2 + count + length))
        return (Piece(whole: whole, content: Array(whole.dropFirst(2 + count))), whole.count)
    }
}
