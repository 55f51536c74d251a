//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// A SHA-256 digest in four words, which is compared and hashed in a few instructions and needs no buffer.
struct PinDigest: Sendable, Hashable {
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// Creates a digest. `nil` unless there are 32 octets.
    init?(_ octets: [UInt8]) {
        guard octets.count == 32 else { return nil }
        self.init(checked: octets)
    }

    init(of message: ArraySlice<UInt8>) {
        self.init(checked: SHA256.hash(data: message))
    }

    private init(checked octets: some Sequence<UInt8>) {
        for octet in octets {
            // The whole value moves left by one octet.
            self.words.0 = self.words.0 << 8 | self.words.1 >> 56
            self.words.1 = self.words.1 << 8 | self.words.2 >> 56
            self.words.2 = self.words.2 << 8 | self.words.3 >> 56
            self.words.3 = self.words.3 << 8 | UInt64(octet)
        }
    }

    var octets: [UInt8] {
        [self.words.0, self.words.1, self.words.2, self.words.3].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
        }
    }

    static func == (left: PinDigest, right: PinDigest) -> Bool { left.words == right.words }

    func hash(into hasher: inout Hasher) {
        hasher.combine(self.words.0)
        hasher.combine(self.words.1)
    }
}
