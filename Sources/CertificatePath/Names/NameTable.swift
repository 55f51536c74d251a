//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Numbers for the names of one evaluation: equal names have one number, and each name is folded once.
///
/// The search compares names again and again, and a stranger chooses them: written in several ways, with hashes that
/// collide. Numbers cost the same whatever the names are.
struct NameTable {
    private var numbers: [FoldedName: Int] = [:]
    /// The same by the octets of names as they were written.
    private var encodings: [NameEncoding: Int] = [:]
    private var known: [Place: Int] = [:]
    /// The octets of names that were folded, for tests.
    private(set) var foldedOctets = 0

    /// A name where it lies: in a certificate, a list or a response.
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

    /// Returns true for two writings of one name. Names with other hashes, or with the same octets, need no folding.
    mutating func isSame(
        _ left: NameSource, in leftOwner: AnyObject, _ right: NameSource, in rightOwner: AnyObject
    ) -> Bool {
        guard left.hash == right.hash else { return false }
        return left.hasSameEncoding(as: right)
            || self.number(of: left, in: leftOwner) == self.number(of: right, in: rightOwner)
    }

    /// Returns the number of a name that is not looked up again.
    mutating func number(of name: NameSource) -> Int {
        let encoding = NameEncoding(octets: Array(name.bytes.slice(name.range)))
        // Most certificates of one name write it in one way.
        if let number = self.encodings[encoding] { return number }
        self.foldedOctets += encoding.octets.count
        let folded = FoldedName(name.range, in: name.bytes.span)
        let number = self.numbers[folded] ?? self.numbers.count
        self.numbers[folded] = number
        self.encodings[encoding] = number
        return number
    }
}

/// A name as it was written.
private struct NameEncoding: Hashable {
    let octets: [UInt8]

    func hash(into hasher: inout Hasher) {
        // As a whole: the array would be hashed octet by octet.
        unsafe self.octets.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
