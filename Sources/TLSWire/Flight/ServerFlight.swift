//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a server says in the clear in answer to a hello.
public struct ServerFlight: Sendable, Hashable {
    /// The hello, also one that asks for another try.
    public var hello: ServerHello?
    /// The certificates in DER, in the order they were sent; `nil` when there was no such message.
    public var certificates: [[UInt8]]?
    /// The stapled OCSP response, in DER, unread.
    public var ocspResponse: [UInt8]?
    /// The ephemeral key.
    public var keyExchange: ServerKeyExchange?
    /// What is wanted of a client certificate.
    public var certificateRequest: ClientCertificateRequest?
    /// The fatal alert that ended it.
    public var alert: TLSAlertDescription?
    /// The alerts that did not end it.
    public var warnings: [TLSAlertDescription] = []
    /// Whether all that is said in the clear is there.
    public var isComplete = false

    /// Nothing has been said yet.
    public init() {}
}
