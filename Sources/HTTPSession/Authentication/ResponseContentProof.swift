//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes

/// A server's proof that it knows the password, which covers the content of its response (`rspauth` with `qop=auth-int`, RFC 7616
/// §3.5). It is held against the content as that comes, and may come behind it, in the trailers.
///
/// ```swift
/// var proof = authenticator.contentProof(in: response, for: request)
/// for try await octets in content { proof?.receive(octets) }
/// try proof?.check(trailers: trailers)
/// ```
public struct ResponseContentProof: Sendable {
    private let sent: SentDigest
    /// The proof of the head; `nil` where one may stand in the trailers alone.
    private let proof: [UInt8]?
    private let infoField: HTTPField.Name
    private var hasher: DigestHasher

    /// - Parameters:
    ///   - info: What the head of the response tells; `nil` for nothing.
    ///   - infoField: Where the trailers tell it.
    ///   - mayHaveTrailers: Whether trailers can follow the content.
    /// - Returns: `nil` where no proof can cover the content.
    init?(_ info: AuthenticationInfo?, of sent: SentDigest, infoField: HTTPField.Name, mayHaveTrailers: Bool) {
        let coversContent = info.map { sent.quality != nil && sent.quality(of: $0) == .authInt } ?? false
        self.proof = coversContent ? info?.responseDigest : nil
        guard self.proof != nil || mayHaveTrailers else { return nil }
        self.sent = sent
        self.infoField = infoField
        self.hasher = sent.algorithm.hasher()
    }

    /// Takes octets of the content, as they were transferred: before content codings such as gzip are undone.
    public mutating func receive(_ octets: UnsafeRawBufferPointer) { self.hasher.update(octets) }

    /// Holds the proof, and one of the trailers, against the content that came.
    ///
    /// - Parameter trailers: The fields behind the content.
    /// - Throws: ``HTTPAuthenticationError``, such as ``HTTPAuthenticationError/wrongResponseDigest``; the content is not what a
    ///   server that knows the password sent.
    public func check(trailers: HTTPFields = [:]) throws(HTTPAuthenticationError) {
        let info = try AuthenticationInfo.read(trailers, name: self.infoField)
        guard self.proof != nil || info != nil else { return }
        let digest = self.hasher.finalize()
        if let proof { try self.sent.verify(proof, .authInt, contentDigest: digest) }
        if let info { _ = try self.sent.check(info, contentDigest: digest) }
    }
}
