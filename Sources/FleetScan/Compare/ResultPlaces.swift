//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports

/// The positions of each host's results in a file. A list may name a host twice, which then has two results.
struct ResultPlaces: Sendable {
    private var first: [TargetIdentity: Range<Int>] = [:]
    /// The further positions of each host, in the order of the file. They are stored separately because most hosts have none, and
    /// an array for every host would need more memory than all other data.
    private var further: [TargetIdentity: [Range<Int>]] = [:]

    /// All positions in the order of the file.
    var all: [Range<Int>] {
        (Array(self.first.values) + self.further.values.flatMap(\.self)).sorted { $0.lowerBound < $1.lowerBound }
    }

    mutating func add(_ place: Range<Int>, of identity: TargetIdentity) {
        if self.first[identity] == nil {
            self.first[identity] = place
        } else {
            self.further[identity, default: []].append(place)
        }
    }

    /// Removes and returns the first remaining position of a host, or `nil` if there is none.
    mutating func take(_ identity: TargetIdentity) -> Range<Int>? {
        guard var rest = self.further[identity] else { return self.first.removeValue(forKey: identity) }
        let place = self.first[identity]
        self.first[identity] = rest.removeFirst()
        self.further[identity] = rest.isEmpty ? nil : rest
        return place
    }
}
