//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
import SwiftASN1
import X509

extension TestPrivateKey {
    /// The public key that belongs to the private one.
    ///
    /// - Throws: `PublicKeyError` if ServerTrust does not read the key, or `ASN1Error` if it cannot be encoded.
    public var publicKey: ServerTrust.PublicKey {
        get throws {
            try ServerTrust.PublicKey(pem: self.key.publicKey.serializeAsPEM().pemString)
        }
    }

    /// The pin of the public key, before there is any certificate for it: a backup pin.
    ///
    /// - Throws: `PublicKeyError` if ServerTrust does not read the key, or `ASN1Error` if it cannot be encoded.
    public var pin: Pin {
        get throws {
            Pin(try self.publicKey)
        }
    }
}
