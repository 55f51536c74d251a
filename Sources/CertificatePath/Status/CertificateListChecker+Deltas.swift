//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The matching of delta lists with complete lists (RFC 5280 §6.3.3 (c)).
extension CertificateListChecker {
    func updates(delta record: Record, _ updated: Record) -> Bool {
        let (delta, list) = (record.list, updated.list)
        let (own, base) = (delta.fields, list.fields)
        guard record.issuerName == updated.issuerName, Self.sameScope(delta, list),
            delta.bytes[own.authorityKeyIdentifier] == list.bytes[base.authorityKeyIdentifier],
            let from = own.baseNumber, let number = own.number, let listNumber = base.number
        else { return false }
        let (start, end, current) = (delta.bytes[from], delta.bytes[number], list.bytes[listNumber])
        return Self.isAtMost(start, current) && Self.isAtMost(current, end)
    }

    /// Returns `true` if both lists have the same issuing distribution point, or none (c)(2).
    static func sameScope(_ delta: CertificateList, _ list: CertificateList) -> Bool {
        switch (delta.fields.issuingDistributionPoint, list.fields.issuingDistributionPoint) {
        case (nil, nil): true
        case (let left?, let right?): equalBytes(left, in: delta.bytes, right, in: list.bytes)
        default: false
        }
    }

    /// Returns `true` if one non-negative INTEGER in the fewest octets is at most another.
    static func isAtMost(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count != right.count ? left.count < right.count : !right.lexicographicallyPrecedes(left)
    }
}
