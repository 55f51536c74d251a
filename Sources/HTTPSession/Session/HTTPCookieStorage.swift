//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes

/// x
public final class HTTPCookieStorage: Sendable {
    func header(for url: HTTPURL) -> String? { nil }
    func store(_ fields: HTTPFields, from url: HTTPURL) {}
}
