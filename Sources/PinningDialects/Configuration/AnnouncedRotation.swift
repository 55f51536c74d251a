//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// An intermediate that its authority has announced to issue from no longer.
///
/// A table of facts with their dates and sources. An intermediate whose key is not known stands in no row: there is no warning
/// without a digest.
struct AnnouncedRotation: Sendable {
    /// The name of the intermediate.
    let name: String
    /// The authority.
    let authority: String
    /// The SHA-256 digest of its SubjectPublicKeyInfo in Base64, as pins have it.
    let digest: String
    /// The day of the announcement.
    let announced: String
    /// The day from which on certificates come from other intermediates.
    let effective: String
    /// The announcement.
    let source: String

    /// The row of a pin; `nil` if no rotation of its key is known.
    static func row(for pin: Pin) -> AnnouncedRotation? { Self.byDigest[pin.base64] }

    /// All rows.
    static let all: [AnnouncedRotation] = Self.generationX.map { name, digest in
        AnnouncedRotation(
            name: name, authority: "Let's Encrypt", digest: digest, announced: "2025-11-24", effective: "2026-05-13",
            source: "https://letsencrypt.org/2025/11/24/gen-y-hierarchy.html")
    }

    private static let byDigest = Dictionary(
        Self.all.map { ($0.digest, $0) }, uniquingKeysWith: { first, _ in first })

    /// Let's Encrypt's intermediates of 2024. The digests are of the certificates in its repository letsencrypt/website,
    /// static/certs/2024.
    private static let generationX = [
        ("R10", "K7rZOrXHknnsEhUH8nLL4MZkejquUuIvOIr6tCa0rbo="),
        ("R11", "bdrBhpj38ffhxpubzkINl0rG+UyossdhcBYj+Zx2fcc="),
        ("R12", "kZwN96eHtZftBWrOZUsd6cA4es80n3NzSk/XtYz2EqQ="),
        ("R13", "AlSQhgtJirc8ahLyekmtX+Iw+v46yPYRLJt9Cq1GlB0="),
        ("R14", "8WR6XuPvrFTIkukwWE/keXm3rNHHbBJxvKHFB22GmIg="),
        ("E5", "NYbU7PBwV4y9J67c4guWTki8FJ+uudrXL0a4V4aRcrg="),
        ("E6", "0Bbh/jEZSKymTy3kTOhsmlHKBB32EDu1KojrP3YfV9c="),
        ("E7", "y7xVm0TVJNahMr2sZydE2jQH8SquXV9yLF9seROHHHU="),
        ("E8", "iFvwVyJSxnQdyaUvUERIf+8qk7gRze3612JMwoO3zdU="),
        ("E9", "8UQKm3bh5B5TpMtGEym/Yze0GXJr5RPkLhnxxpHF1LI="),
    ]
}
