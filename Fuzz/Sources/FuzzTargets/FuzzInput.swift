//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An input that is several things: some octets that choose, and then chunks, each behind its length in two octets.
///
/// Whatever the bytes are, they mean something: a length that reaches beyond the end means the rest.
public struct FuzzInput: Sendable {
    /// What comes before the chunks; octets that are missing are zero.
    public var header: [UInt8]
    /// The chunks.
    public var chunks: [[UInt8]]

    /// More than this are left out.
    static let maximumChunks = 16

    /// An input made of its parts.
    public init(header: [UInt8], chunks: [[UInt8]]) {
        self.header = header
        self.chunks = chunks
    }

    /// Takes an input apart.
    ///
    /// - Parameters:
    ///   - bytes: The input.
    ///   - headerCount: The number of octets before the chunks.
    public init(_ bytes: [UInt8], headerCount: Int) {
        let missing = [UInt8](repeating: 0, count: max(0, headerCount - bytes.count))
        self.header = bytes.prefix(headerCount) + missing
        self.chunks = []
        var rest = bytes.dropFirst(headerCount)
        while rest.count >= 2, self.chunks.count < Self.maximumChunks {
            let count = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            rest = rest.dropFirst(2)
            self.chunks.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
    }

    /// The bytes that are taken apart into the same parts.
    public var encoded: [UInt8] {
        self.header
            + self.chunks.flatMap { chunk in
                [UInt8(chunk.count >> 8 & 0xFF), UInt8(chunk.count & 0xFF)] + chunk
            }
    }

    func chunk(_ index: Int) -> [UInt8] { index < self.chunks.count ? self.chunks[index] : [] }
}

extension FuzzTarget {
    /// The number of octets before the chunks; `nil` when the target's input is all one thing.
    public var headerCount: Int? {
        switch self {
        case .pem, .names, .lines, .pins, .transport, .damage, .compression, .profile, .cms, .zip, .log,
            .authentication, .cookies, .response,
            .request, .hello:
            nil
        case .ocsp: OCSPTarget.headerCount
        case .crl: RevocationListTarget.headerCount
        case .probe: ProbeTarget.headerCount
        case .handshake: HandshakeTarget.headerCount
        case .transparency: TransparencyTarget.headerCount
        case .certificate: 0
        case .pkcs12: PKCS12Target.headerCount
        case .validation: ValidationTarget.headerCount
        }
    }
}
