//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore

/// What a server chose, as its ServerHello says (RFC 8446, section 4.1.3; RFC 5246, section 7.4.1.3).
struct ServerHello: Hashable, Sendable {
    let version: TLSProtocolVersion
    let cipherSuite: UInt16

    /// Whether the keys are bound to the whole handshake (RFC 7627); `nil` for TLS 1.3, whose keys always are.
    let usesExtendedMasterSecret: Bool?

    /// Whether the message asks for a second ClientHello; the real ServerHello is still to come.
    let isRetryRequest: Bool

    /// Reads the body of a ServerHello message; the result is `nil` if it is malformed.
    ///
    /// - Parameter body: The message without its header of four bytes.
    init?(body: ByteBuffer) {
        var body = body
        guard
            let legacyVersion = body.readInteger(as: UInt16.self),
            let random = body.readBytes(length: 32),
            body.skipVector(),
            let cipherSuite = body.readInteger(as: UInt16.self),
            body.readInteger(as: UInt8.self) != nil
        else {
            return nil
        }
        let extensions = Extensions(&body)
        self.version = TLSProtocolVersion(rawValue: extensions.selectedVersion ?? legacyVersion)
        self.cipherSuite = cipherSuite
        self.usesExtendedMasterSecret = self.version >= .tls13 ? nil : extensions.hasExtendedMasterSecret
        self.isRetryRequest = random == Self.retryRequestRandom
    }

    /// The random that makes a ServerHello a HelloRetryRequest: SHA-256 of that word (RFC 8446, section 4.1.3).
    private static let retryRequestRandom: [UInt8] = [
        0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
        0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
    ]
}

extension ServerHello {
    /// What is looked for in the extensions, as far as they can be read; TLS 1.2 and older may have none.
    private struct Extensions {
        /// The content of supported_versions, by which TLS 1.3 tells its version (RFC 8446, section 4.2.1).
        private(set) var selectedVersion: UInt16?
        /// Whether extended_master_secret is there (RFC 7627, section 5.1); it is empty.
        private(set) var hasExtendedMasterSecret = false

        init(_ body: inout ByteBuffer) {
            guard let length = body.readInteger(as: UInt16.self), var extensions = body.readSlice(length: Int(length))
            else {
                return
            }
            while let type = extensions.readInteger(as: UInt16.self),
                let length = extensions.readInteger(as: UInt16.self),
                var content = extensions.readSlice(length: Int(length))
            {
                switch type {
                case 23: self.hasExtendedMasterSecret = length == 0
                // The first counts; TLS forbids a second one.
                case 43: self.selectedVersion = self.selectedVersion ?? content.readInteger(as: UInt16.self)
                default: break
                }
            }
        }
    }
}

extension ByteBuffer {
    /// Skips a vector whose length precedes it in one byte; returns whether it was there.
    fileprivate mutating func skipVector() -> Bool {
        guard let length = self.readInteger(as: UInt8.self) else {
            return false
        }
        return self.readSlice(length: Int(length)) != nil
    }
}
