//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// A part of a client's ClientHello at which some servers fail, although they should ignore what they do not know.
public enum HelloPart: String, Sendable, Hashable, CaseIterable {
    /// The request for a stapled OCSP response (RFC 6066 §8).
    case statusRequest = "status_request"
    /// The request for timestamps of certificate transparency (RFC 6962 §3.3.1).
    case certificateTimestamps = "signed_certificate_timestamp"
    /// The application protocols (ALPN, RFC 7301).
    case applicationProtocols = "application_layer_protocol_negotiation"

    /// The number of the extension.
    fileprivate var type: HelloExtension.ExtensionType {
        switch self {
        case .statusRequest: .statusRequest
        case .certificateTimestamps: .certificateTimestamps
        case .applicationProtocols: .applicationProtocols
        }
    }
}

extension HandshakeOffer {
    /// Returns the offer without a part, or `nil` if its form does not have the part.
    func leavingOut(_ part: HelloPart) -> HandshakeOffer? {
        guard var form = self.form, form.extensions.contains(part.type) else { return nil }
        form.extensions.removeAll { $0 == part.type }
        var offer = self
        offer.form = form
        if part == .applicationProtocols { offer.applicationProtocols = [] }
        return offer
    }
}
