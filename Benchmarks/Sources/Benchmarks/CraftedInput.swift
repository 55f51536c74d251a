//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import Foundation

/// Flights of certificates that are made to cost as much as possible for each kilobyte, by a server that no authority
/// helps. Written octet by octet: the shortest certificates that are read at all.
struct CraftedInput {
    let name: String
    /// The leaf first.
    let certificates: [[UInt8]]
    var lists: [[UInt8]] = []

    /// All kinds of flights of about a size, below a root whose name and key identifier are known to everyone.
    static func all(octets: Int, rootName: [UInt8]) -> [CraftedInput] {
        let names = octets * 3 / 4
        let manyNames = Self.alternativeNames(octets: names)
        let room = octets - names
        var inputs = [
            Self.lookAlikes("98 look-alikes of one key, a leaf of many names", manyNames, octets: room, rootName) { _ in
                Self.p256(1)
            },
            Self.lookAlikes("look-alikes of other P-256 keys", [], octets: octets, rootName, Self.p256),
            Self.lookAlikes("look-alikes of other P-384 keys", [], octets: octets, rootName, Self.p384),
            Self.lookAlikes("look-alikes of other P-521 keys", [], octets: octets, rootName, Self.p521),
        ]
        inputs.append(Self.ladder(octets: octets, rootName))
        inputs.append(Self.constraints(octets: octets, rootName))
        inputs.append(Self.extensions(octets: octets, rootName))
        inputs.append(Self.commonNames(octets: octets, rootName))
        inputs.append(Self.mesh(octets: octets, rootName))
        inputs.append(
            Self.spellings("one name in Greek, written in many ways", "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ", octets, rootName))
        inputs.append(Self.spellings("names of one hash, in ASCII", "Example Authority of the Kind", octets, rootName))
        return inputs
    }

    /// Three authorities at each level whose names have three relative names of sixteen attributes, equal in any order, case
    /// and punctuation to the quick hash of names.
    private static func spellings(
        _ title: String, _ text: String, _ octets: Int, _ rootName: [UInt8]
    ) -> CraftedInput {
        func name(_ level: Int, _ variant: Int) -> [UInt8] {
            let set = (0..<16).flatMap { number -> [UInt8] in
                let place = variant + number
                let spelled = text.enumerated().map { letter in
                    (letter.offset + place) % 3 == 0 ? letter.element.lowercased() : String(letter.element)
                }
                let value = spelled.joined() + String(repeating: ".", count: level % 7) + "-"
                return Self.attribute([0x55, 0x04, UInt8(3 + number)], value)
            }
            return Self.element(0x30, (0..<3).flatMap { _ in Self.element(0x31, set) })
        }
        var certificates = [Self.certificate(Self.name("leaf"), issuer: name(0, 0), key: Self.p256(0))]
        var used = 0
        var level = 0
        while used < octets, level < 10_000 {
            for variant in 0..<3 {
                let certificate = Self.certificate(
                    name(level, variant), issuer: name(level + 1, (variant + 1) % 3), key: Self.p256(1),
                    extensions: Self.authority, serial: level * 3 + variant + 1)
                used += certificate.count
                certificates.append(certificate)
            }
            level += 1
        }
        return CraftedInput(name: title, certificates: certificates)
    }

    /// Intermediates of one name that name the root as their issuer.
    private static func lookAlikes(
        _ title: String, _ leafExtensions: [UInt8], octets: Int, _ rootName: [UInt8], _ key: (Int) -> [UInt8]
    ) -> CraftedInput {
        let name = Self.name("Look-alike")
        var certificates = [
            Self.certificate(Self.name("leaf"), issuer: name, key: Self.p256(0), extensions: leafExtensions)
        ]
        var used = 0
        while used < octets, certificates.count < 100_000 {
            let number = certificates.count
            let certificate = Self.certificate(
                name, issuer: rootName, key: key(number), extensions: Self.authority, serial: number)
            used += certificate.count
            certificates.append(certificate)
        }
        return CraftedInput(name: title, certificates: certificates)
    }

    /// Two authorities at each level that both issue for both below: paths double with each level.
    private static func ladder(octets: Int, _ rootName: [UInt8]) -> CraftedInput {
        var certificates = [Self.certificate(Self.name("leaf"), issuer: Self.name("L0"), key: Self.p256(0))]
        var used = 0
        var level = 0
        while used < octets, level < 30 {
            let issuer = level == 29 ? rootName : Self.name("L\(level + 1)")
            for number in 0..<max(2, octets / 30 / 400) {
                let certificate = Self.certificate(
                    Self.name("L\(level)"), issuer: issuer, key: Self.p256(number + 1), extensions: Self.authority,
                    serial: number + 1)
                used += certificate.count
                certificates.append(certificate)
            }
            level += 1
        }
        return CraftedInput(name: "a ladder of authorities, each certified by all above", certificates: certificates)
    }

    /// An intermediate of many name constraints above a leaf of many names.
    private static func constraints(octets: Int, _ rootName: [UInt8]) -> CraftedInput {
        var subtrees: [UInt8] = []
        var number = 0
        while subtrees.count < octets / 2 {
            subtrees += Self.element(0x30, Self.element(0x82, Array("x\(number)".utf8)))
            number += 1
        }
        let constraints = Self.item([0x55, 0x1D, 30], Self.element(0x30, Self.element(0xA1, subtrees)), critical: true)
        let name = Self.name("Constrained")
        return CraftedInput(
            name: "many names below many constraints",
            certificates: [
                Self.certificate(
                    Self.name("leaf"), issuer: name, key: Self.p256(0),
                    extensions: Self.alternativeNames(octets: octets / 2)),
                Self.certificate(name, issuer: rootName, key: Self.p256(1), extensions: Self.authority + constraints),
            ])
    }

    /// Certificates whose unknown extensions look alike at their ends.
    private static func extensions(octets: Int, _ rootName: [UInt8]) -> CraftedInput {
        var items: [UInt8] = []
        for number in 0..<250 {
            items += Self.item([0x2A, 0x81 &+ UInt8(number >> 7), UInt8(number & 0x7F) | 0x80, 0x05], [5, 0])
        }
        return Self.lookAlikes("hundreds of unknown extensions each", items, octets: octets, rootName) { number in
            Self.p256(number)
        }.withEvery(extensions: items, octets: octets, rootName: rootName)
    }

    private func withEvery(extensions items: [UInt8], octets: Int, rootName: [UInt8]) -> CraftedInput {
        var certificates = [
            Self.certificate(Self.name("leaf"), issuer: Self.name("E"), key: Self.p256(0), extensions: items)
        ]
        var used = 0
        while used < octets {
            let certificate = Self.certificate(
                Self.name("E"), issuer: rootName, key: Self.p256(certificates.count),
                extensions: Self.authority + items, serial: certificates.count)
            used += certificate.count
            certificates.append(certificate)
        }
        return CraftedInput(name: self.name, certificates: certificates)
    }

    /// A leaf of many common names and many alternative names.
    private static func commonNames(octets: Int, _ rootName: [UInt8]) -> CraftedInput {
        var subject: [UInt8] = []
        var number = 0
        while subject.count < octets / 2 {
            subject += Self.relativeName("n\(number)")
            number += 1
        }
        return CraftedInput(
            name: "many common names beside many alternative names",
            certificates: [
                Self.certificate(
                    Self.element(0x30, subject), issuer: rootName, key: Self.p256(0),
                    extensions: Self.alternativeNames(octets: octets / 2))
            ])
    }

    /// Self-issued certificates of one name and many keys.
    private static func mesh(octets: Int, _ rootName: [UInt8]) -> CraftedInput {
        let name = Self.name("Mesh")
        var certificates = [Self.certificate(Self.name("leaf"), issuer: name, key: Self.p521(0))]
        var used = 0
        while used < octets {
            let certificate = Self.certificate(
                name, issuer: name, key: Self.p521(certificates.count), extensions: Self.authority,
                serial: certificates.count)
            used += certificate.count
            certificates.append(certificate)
        }
        return CraftedInput(name: "a mesh of self-issued P-521 authorities", certificates: certificates)
    }

    // MARK: Evidence

    /// Revocation lists beside a genuine chain that its authority did not sign, and certificates in the authority's name that
    /// may have: each list may be of each of them.
    static func evidence(_ chain: [[UInt8]], octets: Int, authority: [UInt8]) -> CraftedInput {
        var certificates = chain
        var lists: [[UInt8]] = []
        var used = 0
        while used < octets {
            let number = lists.count
            let certificate = Self.certificate(
                authority, issuer: Self.name("Stranger"), key: Self.p256(number),
                extensions: Self.authority + Self.listSigner(number), serial: number)
            let list = Self.list(number, issuer: authority)
            used += certificate.count + list.count
            certificates.append(certificate)
            lists.append(list)
        }
        return CraftedInput(
            name: "lists in an authority's name, beside certificates in that name", certificates: certificates,
            lists: lists)
    }

    private static func listSigner(_ number: Int) -> [UInt8] {
        Self.item([0x55, 0x1D, 15], [3, 2, 1, 6], critical: true)
            + Self.item([0x55, 0x1D, 14], Self.element(4, [1] + Self.octets(of: number)))
    }

    private static func list(_ number: Int, issuer: [UInt8]) -> [UInt8] {
        let key = Self.element(0x30, Self.element(0x80, [2] + Self.octets(of: number)))
        let extensions =
            Self.item([0x55, 0x1D, 35], key)
            + Self.item([0x55, 0x1D, 20], Self.element(2, [1] + Self.octets(of: number)))
        let dates = Self.element(0x17, Array("260101000000Z".utf8)) + Self.element(0x17, Array("491231000000Z".utf8))
        let fields =
            Self.element(2, [1]) + Self.algorithm + issuer + dates + Self.element(0xA0, Self.element(0x30, extensions))
        return Self.element(0x30, Self.element(0x30, fields) + Self.algorithm + Self.signature(number))
    }

    // MARK: DER

    private static let authority = Self.item([0x55, 0x1D, 19], [0x30, 3, 1, 1, 0xFF], critical: true)

    private static func alternativeNames(octets: Int) -> [UInt8] {
        let one = Self.element(0x82, Array("a".utf8))
        let names = (0..<(octets / one.count)).flatMap { _ in one }
        return Self.item([0x55, 0x1D, 17], Self.element(0x30, names))
    }

    private static func item(_ identifier: [UInt8], _ value: [UInt8], critical: Bool = false) -> [UInt8] {
        Self.element(
            0x30, Self.element(0x06, identifier) + (critical ? [1, 1, 0xFF] : []) + Self.element(0x04, value))
    }

    private static func relativeName(_ text: String) -> [UInt8] {
        Self.element(0x31, Self.attribute([0x55, 4, 3], text))
    }

    private static func attribute(_ type: [UInt8], _ text: String) -> [UInt8] {
        Self.element(0x30, Self.element(0x06, type) + Self.element(0x0C, Array(text.utf8)))
    }

    static func name(_ text: String) -> [UInt8] { Self.element(0x30, Self.relativeName(text)) }

    private static let points: [[UInt8]] = (1...64).map { number in
        Array(P256.Signing.PrivateKey.number(number).publicKey.derRepresentation)
    }

    private static func p256(_ number: Int) -> [UInt8] { Self.points[number % 64] }

    private static let p384Keys: [[UInt8]] = (0..<64).map { _ in
        Array(P384.Signing.PrivateKey().publicKey.derRepresentation)
    }
    private static func p384(_ number: Int) -> [UInt8] { Self.p384Keys[number % 64] }

    private static let p521Keys: [[UInt8]] = (0..<64).map { _ in
        Array(P521.Signing.PrivateKey().publicKey.derRepresentation)
    }
    private static func p521(_ number: Int) -> [UInt8] { Self.p521Keys[number % 64] }

    private static func certificate(
        _ subject: [UInt8], issuer: [UInt8], key: [UInt8], extensions: [UInt8] = [], serial: Int = 1
    ) -> [UInt8] {
        let dates = Self.element(0x17, Array("200101000000Z".utf8)) + Self.element(0x17, Array("491231000000Z".utf8))
        let fields =
            Self.element(0xA0, [2, 1, 2]) + Self.element(0x02, [1] + Self.octets(of: serial)) + Self.algorithm + issuer
            + Self.element(0x30, dates) + subject + key
            + (extensions.isEmpty ? [] : Self.element(0xA3, Self.element(0x30, extensions)))
        return Self.element(0x30, Self.element(0x30, fields) + Self.algorithm + Self.signature(serial))
    }

    /// ECDSA with SHA-256.
    private static let algorithm = Self.element(0x30, Self.element(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2]))

    private static func signature(_ number: Int) -> [UInt8] {
        let octets = Self.octets(of: number)
        let numbers = Self.element(2, [1, 1] + octets) + Self.element(2, [2, 1] + octets)
        return Self.element(0x03, [0] + Self.element(0x30, numbers))
    }

    private static func octets(of number: Int) -> [UInt8] {
        [UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            case ..<0x1_0000: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
            default: [0x83, UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
            }
        return [tag] + length + content
    }
}

extension P256.Signing.PrivateKey {
    /// The key whose scalar is a small number.
    fileprivate static func number(_ number: Int) -> P256.Signing.PrivateKey {
        let scalar = [UInt8](repeating: 0, count: 31) + [UInt8(number)]
        return (try? P256.Signing.PrivateKey(rawRepresentation: scalar)) ?? P256.Signing.PrivateKey()
    }
}
