//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How a client arranges its hello, beside what it offers: middleboxes and servers fail at the form, too.
public struct ClientHelloForm: Sendable, Hashable {
    /// The extensions in their order; `nil` stands for one that no server may understand (RFC 8701). Those that a hello has no
    /// content for are left out.
    public var extensions: [HelloExtension.ExtensionType?]
    /// The groups that keys are sent for.
    public var keyShares: [NamedGroup]
    /// The signature schemes as they stand in the hello, some perhaps twice; `nil` for those of the offer.
    public var signatureSchemes: [SignatureScheme]?

    /// A form. It mixes values that no server may understand into suites, groups, versions and key shares, too.
    ///
    /// - Parameters:
    ///   - extensions: The extensions in their order.
    ///   - keyShares: The groups that keys are sent for.
    ///   - signatureSchemes: The signature schemes as they stand in the hello; `nil` for those of the offer.
    public init(
        extensions: [HelloExtension.ExtensionType?], keyShares: [NamedGroup],
        signatureSchemes: [SignatureScheme]? = nil
    ) {
        self.extensions = extensions
        self.keyShares = keyShares
        self.signatureSchemes = signatureSchemes
    }
}
