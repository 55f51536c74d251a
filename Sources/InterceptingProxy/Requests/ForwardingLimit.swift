//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes

/// How often a request may still be passed on: a client says so of TRACE and OPTIONS (RFC 9110 §7.6.2).
struct ForwardingLimit {
    /// How many more times; with zero the request ends here.
    let left: Int

    /// The limit of a request; `nil` without one, of other methods, and for a value that is no number.
    init?(_ head: RequestHead) {
        guard head.method == .trace || head.method == .options else { return nil }
        let values = head.fields[values: .maxForwards]
        guard values.count == 1, let value = values.first, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let left = Int(value)
        else { return nil }
        self.left = left
    }

    /// The field for the server.
    var next: String { "\(max(0, self.left - 1))" }
}
