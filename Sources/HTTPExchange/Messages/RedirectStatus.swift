//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The statuses that redirect a request to the place that Location names (RFC 9110 §15.4).
///
/// 304 is about a copy at hand, 305 is deprecated and 306 unused: a Location beside them leads nowhere (§15.4.5 to §15.4.7).
package enum RedirectStatus: Int, CaseIterable, Sendable {
    case multipleChoices = 300
    case movedPermanently, found, seeOther
    case temporaryRedirect = 307
    case permanentRedirect

    /// True if the request is made again with its method and content. The others turn POST into GET (§15.4.2 to §15.4.4).
    package var keepsRequest: Bool {
        switch self {
        case .multipleChoices, .temporaryRedirect, .permanentRedirect: true
        case .movedPermanently, .found, .seeOther: false
        }
    }
}
