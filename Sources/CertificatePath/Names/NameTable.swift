//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A table that gives each name of one evaluation a number. Equal names have the same number, and each name is folded once.
///
/// The search compares names repeatedly, and an attacker chooses them, in several encodings and with colliding hashes.
/// Comparing numbers costs the same for all names.
struct NameTable {
    private var numbers: [FoldedName: Int] = [:]
    /// The numbers by the encoded octets of the names.
    private var encodings: [NameEncoding: Int] = [:]
    private var known: [Place: Int] = [:]
    /// The count of octets of folded names, for tests.
    private(set) var foldedOctets = 0

    /// The place of a name in a certificate, a list or a response.
    private struct Place: Hashable {
        let owner: ObjectIdentifier
        let start: Int
    }

    /// Returns the number of a name.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - owner: The certificate, list or response that has it, which must outlive the table.
    mutating func number(of name: NameSource, in owner: AnyObject) -> Int {
        let place = Place(owner: ObjectIdentifier(owner), start: name.range.lowerBound)
        if let number = self.known[place] { return number }
        let number = self.number(of: name)
        self.known[place] = number
        return number
    }

    /// Returns `true` if two encodings are the same name. Names with other hashes, or with the same octets, need no folding.
    mutating func isSame(
        _ left: NameSource, in leftOwner: AnyObject, _ right: NameSource, in rightOwner: AnyObject
    ) -> Bool {
        guard left.hash == right.hash else { return false }
        return left.hasSameEncoding(as: right)
            || self.number(of: left, in: leftOwner) == self.number(of: right, in: rightOwner)
    }

    /// Returns the number of a name without remembering its place.
    mutating func number(of name: NameSource) -> Int {
        let encoding = NameEncoding(octets: Array(name.bytes.slice(name.range)))
        // Most certificates encode the same name in the same way.
        if let number = self.encodings[encoding] { return number }
        self.foldedOctets += encoding.octets.count
        let folded = FoldedName(name.range, in: name.bytes.span)
        let number = self.numbers[folded] ?? self.numbers.count
        self.numbers[folded] = number
        self.encodings[encoding] = number
        return number
    }
}

/// The encoded octets of a name.
private struct NameEncoding: Hashable {
    let octets: [UInt8]

    func hash(into hasher: inout Hasher) {
        // The octets in one call. `Array` would hash them one by one.
        unsafe self.octets.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
