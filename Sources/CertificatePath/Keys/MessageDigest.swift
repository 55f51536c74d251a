//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// The digest of a signed message. A revocation list may have megabytes, so it is hashed only once for all candidate keys.
enum MessageDigest {
    case sha1(Insecure.SHA1.Digest)
    case sha256(SHA256.Digest)
    case sha384(SHA384.Digest)
    case sha512(SHA512.Digest)

    /// Hashes a message. `nil` for a digest that is never verified, or that is part of the signature algorithm.
    init?(of message: ArraySlice<UInt8>, _ digest: SignatureDigest) {
        switch digest {
        case .sha1: self = .sha1(Self.hash(message, Insecure.SHA1()))
        case .sha256: self = .sha256(Self.hash(message, SHA256()))
        case .sha384: self = .sha384(Self.hash(message, SHA384()))
        case .sha512: self = .sha512(Self.hash(message, SHA512()))
        case .md2, .md4, .md5, .sha224, .intrinsic: return nil
        }
    }

    private static func hash<Function: HashFunction>(_ message: ArraySlice<UInt8>, _ function: Function)
        -> Function.Digest
    {
        var function = function
        unsafe message.withUnsafeBytes { unsafe function.update(bufferPointer: $0) }
        return function.finalize()
    }
}
