//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import ServerTrustNIO

@Suite("What ended a connection, in words")
struct TransportErrorTextTests {
    static let errors: [any Error] = [
        ChannelError.ioOnClosedChannel, ChannelError.eof, NIOSSLError.uncleanShutdown,
        IOError(errnoCode: 104, reason: "read(descriptor:)"), NIOTooManyBytesError(maxBytes: 1), CancellationError(),
    ]

    @Test("Neither types nor functions are named", arguments: 0..<6)
    func words(index: Int) throws {
        let error = Self.errors[index]
        for text in [
            TransportErrorText.text(of: error, from: "the client"),
            SecureStreamError(.failed, cause: error).description,
        ] {
            #expect(!text.contains("Error") && !text.contains("(") && !text.contains("IO"), "\(text)")
        }
        #expect(TransportErrorText.text(of: NIOSSLError.uncleanShutdown, from: "it").hasPrefix("it closed"))
    }
}
