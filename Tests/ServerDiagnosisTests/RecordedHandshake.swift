//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import NIOCore
import ServerDiagnosis
import ServerTrust
import ServerTrustNIO
import TLSProbe
import TLSWire
import Testing

/// A handshake that was read from a server on this machine, with all that it takes to read it once more.
struct RecordedHandshake {
    /// What the first reading came to.
    private(set) var result = HandshakeResult()
    /// How many hellos followed the first.
    private(set) var answers = 0
    /// The reader before the last hello was answered, and what the server said from then on.
    private var reader: HandshakeReader
    private var octets: [UInt8] = []

    init(_ port: Int, _ offer: HandshakeOffer) throws {
        var chance = SystemRandomNumberGenerator()
        let (hello, reader) = offer.opening(using: &chance, verifiedBy: CertificateKeyVerifier())
        self.reader = reader
        let connection = try Connection(port)
        try connection.send(hello.encoded())
        var live = reader
        while let bytes = connection.receive() {
            self.octets += bytes
            guard let progress = try? live.read(bytes), progress != .finished else { break }
            guard case .answer(let answer) = progress else { continue }
            self.answers += 1
            // The hello that follows a wish is drawn by lot, so what comes next is read by who made it.
            self.reader = live
            self.octets = []
            try connection.send(answer)
        }
        self.result = live.result
    }

    /// Changes octets of what the server said, and cuts it short: no key may be proven by what is left.
    func expectThatDamageProvesNothing() throws {
        var honest = self.reader
        #expect(try honest.read(self.octets) == .finished && honest.result.isKeyProven)
        let headers = self.ignoredOctets
        for index in self.octets.indices where index % 7 == 0 || index < 200 {
            var (damaged, reader) = (self.octets, self.reader)
            damaged[index] ^= 0x11
            _ = try? reader.read(damaged)
            // In TLS 1.2 the signature covers the key alone: what else a certificate says is for its issuer's signature.
            if honest.result.version == .tls13 {
                #expect(!reader.result.isKeyProven || headers.contains(index), "\(index)")
            } else {
                let isSame = (try? reader.result.key) == (try? honest.result.key)
                #expect(!reader.result.isKeyProven || isSame, "\(index)")
            }
            reader = self.reader
            _ = try reader.read(self.octets.prefix(index))
            #expect(!reader.result.isKeyProven)
        }
    }

    /// The versions of records that are not protected, which are ignored (RFC 8446 §5.1).
    private var ignoredOctets: Set<Int> {
        var (start, ignored) = (0, Set<Int>())
        while start + 5 <= self.octets.count {
            if self.octets[start] != 23 { ignored.formUnion([start + 1, start + 2]) }
            start += 5 + Int(self.octets[start + 3]) << 8 + Int(self.octets[start + 4])
        }
        return ignored
    }
}

extension HandshakeResult {
    /// The key of the first certificate.
    fileprivate var key: PublicKey? {
        get throws { try self.certificates.first.map { try Certificate(der: $0).publicKey } }
    }
}

/// A connection to this machine that waits for no more than some seconds.
private struct Connection: ~Copyable {
    private let descriptor: Int32

    struct Failure: Error {}

    init(_ port: Int) throws {
        self.descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard self.descriptor >= 0 else { throw Failure() }
        var timeout = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(self.descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let descriptor = self.descriptor
        let connected = try SocketAddress(ipAddress: "127.0.0.1", port: port).withSockAddr { address, size in
            connect(descriptor, address, socklen_t(size))
        }
        guard connected == 0 else { throw Failure() }
    }

    deinit { close(self.descriptor) }

    func send(_ bytes: [UInt8]) throws {
        guard write(self.descriptor, bytes, bytes.count) == bytes.count else { throw Failure() }
    }

    /// The next octets; `nil` when no more come.
    func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(self.descriptor, &buffer, buffer.count)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }
}
