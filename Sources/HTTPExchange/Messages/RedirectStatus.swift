//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPTypes

/// The statuses that redirect a request to the target of Location (RFC 9110 §15.4).
///
/// 304 is about a stored copy, 305 is deprecated and 306 is unused, so a Location with them is no redirect (§15.4.5 to §15.4.7).
package enum RedirectStatus: Int, CaseIterable, Sendable {
    case multipleChoices = 300
    case movedPermanently, found, seeOther
    case temporaryRedirect = 307
    case permanentRedirect

    /// `true` if the request is repeated with its method and content. The other statuses turn POST into GET (§15.4.2 to §15.4.4).
    package var keepsRequest: Bool {
        switch self {
        case .multipleChoices, .temporaryRedirect, .permanentRedirect: true
        case .movedPermanently, .found, .seeOther: false
        }
    }
}

extension ResponseHead {
    /// The status of a redirect and the octets of each Location field, or `nil` for other responses.
    package var redirect: (status: RedirectStatus, places: [ArraySlice<UInt8>])? {
        RedirectStatus(rawValue: self.status).map { status in
            (status, self.fields[fields: .location].map { $0.octets.trimmingBlanks() })
        }
    }
}

extension HTTPField {
    package var octets: [UInt8] { self.withUnsafeBytesOfValue { Array($0) } }
}

extension [UInt8] {
    fileprivate func trimmingBlanks() -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let first = self.firstIndex(where: { !isBlank($0) }), let last = self.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return self[first...last]
    }
}
