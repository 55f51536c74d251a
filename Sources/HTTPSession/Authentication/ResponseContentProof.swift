//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes

/// A server's proof that it knows the password, which covers the content of its response (`rspauth` with `qop=auth-int`,
/// RFC 7616 §3.5).
///
/// The content is hashed as it arrives. The proof is in the head of the response or in its trailers.
///
/// ```swift
/// var proof = authenticator.contentProof(in: response, for: request)
/// for try await octets in content { proof?.receive(octets) }
/// try proof?.check(trailers: trailers)
/// ```
public struct ResponseContentProof: Sendable {
    private let sent: SentDigest
    /// The proof in the head, or `nil` if only the trailers can have one.
    private let proof: [UInt8]?
    private let infoField: HTTPField.Name
    private var hasher: DigestHasher

    /// Creates a proof.
    ///
    /// - Parameters:
    ///   - info: The authentication info in the head of the response, or `nil` if there is none.
    ///   - sent: The digest that was sent.
    ///   - infoField: The name of the field in the trailers.
    ///   - mayHaveTrailers: `true` if trailers can follow the content.
    /// - Returns: `nil` if no proof can cover the content.
    init?(_ info: AuthenticationInfo?, of sent: SentDigest, infoField: HTTPField.Name, mayHaveTrailers: Bool) {
        let coversContent = info.map { sent.quality != nil && sent.quality(of: $0) == .authInt } ?? false
        self.proof = coversContent ? info?.responseDigest : nil
        guard self.proof != nil || mayHaveTrailers else { return nil }
        self.sent = sent
        self.infoField = infoField
        self.hasher = sent.algorithm.hasher()
    }

    /// Adds octets of the content as they were transferred, before content codings such as gzip are decoded.
    public mutating func receive(_ octets: UnsafeRawBufferPointer) { self.hasher.update(octets) }

    /// Verifies the proof in the head and the one in the trailers against the content.
    ///
    /// - Parameter trailers: The trailer fields.
    /// - Throws: ``HTTPAuthenticationError``, for example ``HTTPAuthenticationError/wrongResponseDigest``, if the content does not
    ///   come from a server that knows the password.
    public func check(trailers: HTTPFields = [:]) throws(HTTPAuthenticationError) {
        let info = try AuthenticationInfo.read(trailers, name: self.infoField)
        guard self.proof != nil || info != nil else { return }
        let digest = self.hasher.finalize()
        if let proof { try self.sent.verify(proof, .authInt, contentDigest: digest) }
        if let info { _ = try self.sent.check(info, contentDigest: digest) }
    }
}
