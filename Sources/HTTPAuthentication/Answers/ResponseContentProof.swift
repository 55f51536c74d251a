//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A server's proof that it knows the password, which covers the content of its response (`rspauth` with `qop=auth-int`, RFC 7616
/// §3.5). It is held against the content as that comes.
///
/// ```swift
/// var proof = authenticator.contentProof(in: response, for: request)
/// for try await octets in content { proof?.receive(octets) }
/// try proof?.check()
/// ```
public struct ResponseContentProof: Sendable {
    private let sent: SentDigest
    private let proof: [UInt8]
    private var hasher: DigestHasher

    /// - Returns: `nil` for a proof that does not cover the content.
    init?(_ info: AuthenticationInfo, of sent: SentDigest) {
        guard let proof = info.responseDigest, sent.quality != nil, sent.quality(of: info) == .authInt else {
            return nil
        }
        (self.sent, self.proof, self.hasher) = (sent, proof, sent.algorithm.hasher())
    }

    /// Takes octets of the content, as they were transferred: before content codings such as gzip are undone.
    public mutating func receive(_ octets: UnsafeRawBufferPointer) { self.hasher.update(octets) }

    /// Holds the proof against the content that came.
    ///
    /// - Throws: ``HTTPAuthenticationError/wrongResponseDigest``; the content is not what a server that knows the password sent.
    public func check() throws(HTTPAuthenticationError) {
        try self.sent.verify(self.proof, .authInt, contentDigest: self.hasher.finalize())
    }
}
