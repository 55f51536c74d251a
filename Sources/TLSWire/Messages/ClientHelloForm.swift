//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The arrangement of a client's hello, apart from its offer. Servers and middleboxes may fail at the arrangement, too.
///
/// A form imitates a real client: the order of its extensions, its key shares and its signature schemes.
public struct ClientHelloForm: Sendable, Hashable {
    /// The extensions in their order. A `nil` stands for a reserved extension that no server may understand (RFC 8701). Extensions
    /// without content in a hello are left out.
    public var extensions: [HelloExtension.ExtensionType?]
    /// The groups of the key shares.
    public var keyShares: [NamedGroup]
    /// The signature schemes as they stand in the hello, possibly repeated, or `nil` for those of the offer.
    public var signatureSchemes: [SignatureScheme]?

    /// Creates a form. Its hellos also mix reserved values into suites, groups, versions and key shares.
    ///
    /// - Parameters:
    ///   - extensions: The extensions in their order.
    ///   - keyShares: The groups of the key shares.
    ///   - signatureSchemes: The signature schemes as they stand in the hello, or `nil` for those of the offer.
    public init(
        extensions: [HelloExtension.ExtensionType?], keyShares: [NamedGroup],
        signatureSchemes: [SignatureScheme]? = nil
    ) {
        self.extensions = extensions
        self.keyShares = keyShares
        self.signatureSchemes = signatureSchemes
    }
}
