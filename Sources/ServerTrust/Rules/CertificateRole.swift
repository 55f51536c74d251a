//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The role of a certificate, by its place on the path.
public enum CertificateRole: String, Sendable, Hashable, CaseIterable {
    /// The first certificate: the one under evaluation.
    case leaf
    /// A certificate between the leaf and the end of the path.
    case intermediate
    /// The end of the path: the anchor, or a self-issued certificate that is not trusted.
    case root

    init(of index: Int, on path: [Certificate], isAnchored: Bool) {
        guard index > 0 else {
            self = .leaf
            return
        }
        let isEnd = index == path.count - 1 && path.indices.contains(index)
        self = isEnd && (isAnchored || path[index].isSelfIssued) ? .root : .intermediate
    }
}
