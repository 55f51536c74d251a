//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports

/// Where in a file the result of each host is. A list may name a host twice, and then there are two.
struct ResultPlaces: Sendable {
    private var first: [TargetIdentity: Range<Int>] = [:]
    /// The further ones, in the order of the file. Apart, as most hosts have none, and an array for each would take more than
    /// all the rest.
    private var further: [TargetIdentity: [Range<Int>]] = [:]

    /// All places, in the order of the file.
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

    /// The first place of a host that was not taken yet; `nil` without one.
    mutating func take(_ identity: TargetIdentity) -> Range<Int>? {
        guard var rest = self.further[identity] else { return self.first.removeValue(forKey: identity) }
        let place = self.first[identity]
        self.first[identity] = rest.removeFirst()
        self.further[identity] = rest.isEmpty ? nil : rest
        return place
    }
}
