//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerTrust

/// Where on a path a key is, and what comes of pinning it.
enum PinRole: String, CaseIterable, ExpressibleByArgument, Sendable {
    case leaf
    case intermediate
    case root

    /// The role of a certificate of a path.
    init(index: Int, count: Int) {
        self = index == 0 ? .leaf : index == count - 1 ? .root : .intermediate
    }

    /// What a person should know before choosing it.
    var advice: String {
        switch self {
        case .leaf:
            "the server's own key. Nobody else's certificate passes. Renew with the same key, keep a second key ready, and pin "
                + "both: whoever loses the key is locked out"
        case .intermediate:
            "the authority's key that signs now. Renewals pass, and new keys. Authorities change it when they like; pin a "
                + "second authority, too"
        case .root:
            "the authority. Lasts longest and keeps out least: whatever this authority issues for the name passes. Pin at "
                + "least two roots you could move to"
        }
    }
}

/// One key of a path.
struct PathPin: Sendable {
    let role: PinRole
    let certificate: Certificate

    var pin: Pin { Pin(keyOf: self.certificate) }

    /// The keys of a path, the leaf's first. A leaf that is its own root is the leaf.
    static func pins(of path: [Certificate]) -> [PathPin] {
        path.enumerated().map { PathPin(role: PinRole(index: $0, count: path.count), certificate: $1) }
    }
}
