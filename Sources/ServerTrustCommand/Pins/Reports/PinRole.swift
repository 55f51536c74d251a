//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The position of a key on a path, with the consequences of pinning it.
enum PinRole: String, CaseIterable, Sendable {
    case leaf
    case intermediate
    case root

    init(index: Int, count: Int) {
        self = index == 0 ? .leaf : index == count - 1 ? .root : .intermediate
    }

    /// The consequences of pinning the key.
    var advice: String {
        switch self {
        case .leaf:
            "the server's own key. No other server passes. Keep it when renewing, and pin a second one from a safe"
        case .intermediate: "the authority's key that signs now. New keys of yours pass, but it changes without notice"
        case .root:
            "the authority. It changes rarely, and accepts every server of this authority. Pin two that you could move between"
        }
    }
}

/// A key of a path.
struct PathPin: Sendable {
    let role: PinRole
    let certificate: Certificate

    var pin: Pin { Pin(keyOf: self.certificate) }

    /// Returns the keys of a path, the leaf's first. A self-signed leaf has the role of a leaf.
    static func pins(of path: [Certificate]) -> [PathPin] {
        path.enumerated().map { PathPin(role: PinRole(index: $0, count: path.count), certificate: $1) }
    }
}
