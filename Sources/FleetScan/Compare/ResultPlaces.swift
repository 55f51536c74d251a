//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports

/// The position of each host's latest result in a file.
///
/// A host has several results where a list names it twice, or where a file has the results of several scans.
struct ResultPlaces: Sendable {
    private struct Place {
        let range: Range<Int>
        var isCompared = false
    }

    private var places: [TargetIdentity: Place] = [:]

    /// The positions that no comparison has asked for, in the order of the file.
    var left: [Range<Int>] {
        self.places.values.filter { !$0.isCompared }.map(\.range).sorted { $0.lowerBound < $1.lowerBound }
    }

    mutating func add(_ range: Range<Int>, of identity: TargetIdentity) { self.places[identity] = Place(range: range) }

    /// Returns the position of a host's latest result for a comparison, or `nil` if the host has none.
    mutating func compare(_ identity: TargetIdentity) -> Range<Int>? {
        self.places[identity]?.isCompared = true
        return self.places[identity]?.range
    }
}
