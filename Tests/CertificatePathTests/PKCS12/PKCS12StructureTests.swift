//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

@Suite("Crafted PKCS#12 files")
struct PKCS12StructureTests {
    @Test("A file that is not as RFC 7292 has it is refused, and why is said", arguments: faults)
    func fault(fault: (String, [UInt8], @Sendable (PKCS12Error) -> Bool)) throws {
        let error = #expect(throws: PKCS12Error.self) { try PKCS12File(der: fault.1, password: nil) }
        #expect(error.map(fault.2) == true, "\(fault.0): \(error.map { "\($0)" } ?? "none")")
    }

    @Test(
        "An algorithm that is not supported is named",
        arguments: [
            ("HMAC with SHA-224", PFX.pbes2(hmac: "1.2.840.113549.2.8"), "1.2.840.113549.2.8"),
            ("HMAC with SHA-512/256", PFX.pbes2(hmac: "1.2.840.113549.2.13"), "1.2.840.113549.2.13"),
            ("scrypt", PFX.pbes2(derivation: "1.3.6.1.4.1.11591.4.11"), "1.3.6.1.4.1.11591.4.11"),
            ("Camellia", PFX.pbes2(cipher: "1.2.392.200011.61.1.1.1.4"), "1.2.392.200011.61.1.1.1.4"),
        ])
    func algorithm(name: String, algorithm: [UInt8], identifier: String) throws {
        let string = DER.element(0x80, [UInt8](repeating: 0, count: 16))
        let key = PFX.bag(2, DER.sequence(algorithm, DER.octetString([1])))
        for part in [PFX.encryptedData(string, algorithm: algorithm), PFX.data([key])] {
            let error = #expect(throws: PKCS12Error.self) {
                try PKCS12File(der: PFX.file(part), password: "right")
            }
            #expect(error == OID(identifier).map(PKCS12Error.unsupportedAlgorithm))
        }
    }

    @Test("Bags that TLS has no use for are passed over, nested ones are read, and a key counts once")
    func bags() throws {
        let key = DER.sequence(DER.integer(0))
        let inner = PFX.bag(6, DER.sequence(PFX.bag(1, key), PFX.certificate([1, 2, 3])))
        let unused = [PFX.bag(4, DER.sequence()), PFX.bag(5, DER.sequence())].joined()
        let file = try PKCS12File(
            der: PFX.file(PFX.data([Array(unused), inner, PFX.bag(1, key, localKeyID: [7])])), password: nil)
        #expect(file.keys.map(\.der) == [key] && file.keys.map(\.localKeyID) == [nil])
        #expect(file.certificates.map(\.der) == [[1, 2, 3]])
    }

    @Test("A local key identifier is read among other attributes")
    func localKeyID() throws {
        let key = DER.sequence(DER.integer(0))
        let file = try PKCS12File(der: PFX.file(PFX.data([PFX.bag(1, key, localKeyID: [7, 8])])), password: nil)
        #expect(file.keys == [PKCS12File.Item(der: key, localKeyID: [7, 8])])
    }
}

/// Writes files without encryption and authentication.
enum PFX {
    static func file(_ contents: [UInt8]..., version: UInt8 = 3, macData: [UInt8] = []) -> [UInt8] {
        let safe = DER.element(0x30, Array(contents.joined()))
        let information = DER.sequence(DER.oid("1.2.840.113549.1.7.1"), DER.element(0xA0, DER.octetString(safe)))
        return DER.sequence(DER.integer(version), information, macData)
    }

    static func data(_ bags: [[UInt8]]) -> [UInt8] {
        let contents = DER.octetString(DER.element(0x30, Array(bags.joined())))
        return DER.sequence(DER.oid("1.2.840.113549.1.7.1"), DER.element(0xA0, contents))
    }

    static func bag(_ kind: Int, _ value: [UInt8], localKeyID: [UInt8]? = nil) -> [UInt8] {
        let attributes = localKeyID.map { identifier in
            let name = DER.sequence(DER.oid("1.2.840.113549.1.9.20"), DER.set(DER.element(0x1E, [0, 0x61])))
            return DER.set(
                name, DER.sequence(DER.oid("1.2.840.113549.1.9.21"), DER.set(DER.octetString(identifier))))
        }
        return DER.sequence(
            DER.oid("1.2.840.113549.1.12.10.1.\(kind)"), DER.element(0xA0, value), attributes ?? [])
    }

    static func certificate(_ der: [UInt8]) -> [UInt8] {
        let octets = DER.element(0xA0, DER.octetString(der))
        return self.bag(3, DER.sequence(DER.oid("1.2.840.113549.1.9.22.1"), octets))
    }

    /// A key that claims to be encrypted with three times DES.
    static func shrouded(iterations: [UInt8], salt: [UInt8] = [1]) -> [UInt8] {
        let parameters = DER.sequence(DER.octetString(salt), DER.element(0x02, iterations))
        let algorithm = DER.sequence(DER.oid("1.2.840.113549.1.12.1.3"), parameters)
        return self.bag(2, DER.sequence(algorithm, DER.octetString([UInt8](repeating: 0, count: 8))))
    }

    /// MacData with SHA-1.
    static func mac(iterations: [UInt8], salt: [UInt8] = [1], digest: String = "1.3.14.3.2.26") -> [UInt8] {
        let information = DER.sequence(
            DER.sequence(DER.oid(digest), DER.element(0x05, [])), DER.octetString([UInt8](repeating: 0, count: 20)))
        return DER.sequence(information, DER.octetString(salt), DER.element(0x02, iterations))
    }
}

private let empty = PFX.data([])
private let faults: [(String, [UInt8], @Sendable (PKCS12Error) -> Bool)] = [
    ("nothing", [], { $0.isMalformed }),
    ("too large", [UInt8](repeating: 0x30, count: 1 << 20 + 1), { $0 == .tooLarge }),
    ("version 1", PFX.file(empty, version: 1), { $0.isMalformed }),
    ("trailing octets", PFX.file(empty) + [0], { $0.isMalformed }),
    (
        "public-key integrity",
        DER.sequence(
            DER.integer(3), DER.sequence(DER.oid("1.2.840.113549.1.7.2"), DER.element(0xA0, DER.sequence()))),
        { $0 == .publicKeyIntegrity }
    ),
    (
        "enveloped data", PFX.file(DER.sequence(DER.oid("1.2.840.113549.1.7.3"), DER.element(0xA0, DER.sequence()))),
        { $0.isUnsupported }
    ),
    ("another digest", PFX.file(empty, macData: PFX.mac(iterations: [1], digest: "1.2.3")), { $0.isUnsupported }),
    ("a wrong code", PFX.file(empty, macData: PFX.mac(iterations: [1])), { $0 == .wrongPassword }),
    (
        "two thousand million iterations", PFX.file(empty, macData: PFX.mac(iterations: [0x7F, 0xFF, 0xFF, 0xFF])),
        { $0 == .tooMuchWork }
    ),
    ("no iterations", PFX.file(empty, macData: PFX.mac(iterations: [0])), { $0 == .tooMuchWork }),
    ("negative iterations", PFX.file(empty, macData: PFX.mac(iterations: [0x80])), { $0.isMalformed }),
    (
        "a salt of two kilobytes",
        PFX.file(empty, macData: PFX.mac(iterations: [1], salt: [UInt8](repeating: 1, count: 2_048))),
        { $0 == .tooMuchWork }
    ),
    ("an encrypted key of chance", PFX.file(PFX.data([PFX.shrouded(iterations: [1])])), { $0 == .wrongPassword }),
    (
        "millions of iterations in two keys",
        PFX.file(PFX.data([PFX.shrouded(iterations: [0x7F, 0xFF, 0xFF])])), { $0 == .tooMuchWork }
    ),
    (
        "two thousand bags", PFX.file(PFX.data([[UInt8]](repeating: PFX.certificate([1]), count: 2_000))),
        { $0 == .tooManyItems }
    ),
    (
        "bags in bags",
        PFX.file(PFX.data([(0..<10).reduce(PFX.certificate([1])) { bag, _ in PFX.bag(6, DER.sequence(bag)) }])),
        { $0 == .tooManyItems }
    ),
    ("a key that is no sequence", PFX.file(PFX.data([PFX.bag(1, DER.integer(1))])), { $0.isMalformed }),
]

extension PKCS12Error {
    fileprivate var isMalformed: Bool {
        guard case .malformed = self else { return false }
        return true
    }

    fileprivate var isUnsupported: Bool {
        guard case .unsupportedAlgorithm = self else { return false }
        return true
    }
}
