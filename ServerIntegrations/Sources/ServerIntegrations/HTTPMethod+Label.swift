//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes

extension HTTPRequest.Method {
    private static let known: Set<HTTPRequest.Method> = [
        .get, .head, .post, .put, .delete, .connect, .options, .trace, .patch,
    ]

    /// The method, or `_OTHER`, so that a program's own methods do not multiply timers and spans (OpenTelemetry semantic
    /// conventions).
    var label: String { Self.known.contains(self) ? self.rawValue : "_OTHER" }
}
