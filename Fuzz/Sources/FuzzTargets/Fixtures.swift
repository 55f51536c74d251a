//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// Authorities whose Ed25519 keys and signatures are the same in every process, so that an input means the same in all.
enum Fixtures {
    static let root = CraftedAuthority("Root", .ed25519(1))
    static let first = CraftedAuthority("First", .ed25519(2))
    static let second = CraftedAuthority("Second", .ed25519(3))
    static let leafKey = TestKey.ed25519(4)

    /// A leaf, two intermediates and a root.
    static var chain: [CertificateView] {
        get throws {
            [
                try self.second.leaf(self.leafKey), try self.first.authority(self.second),
                try self.root.authority(self.first), try self.root.authority(),
            ]
        }
    }

    static let rootCertificate = try? Fixtures.root.authority()
}
