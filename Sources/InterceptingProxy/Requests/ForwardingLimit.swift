//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes

/// The limit on forwarding of a TRACE or OPTIONS request (Max-Forwards, RFC 9110 §7.6.2).
struct ForwardingLimit {
    /// The remaining number of times. With zero the request ends at this proxy.
    let left: Int

    /// Reads the limit of a request, or returns `nil` for other methods and if there is no single valid number.
    init?(_ head: RequestHead) {
        guard head.method == .trace || head.method == .options else { return nil }
        let values = head.fields[values: .maxForwards]
        guard values.count == 1, let value = values.first, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let left = Int(value)
        else { return nil }
        self.left = left
    }

    /// The field value for the next server.
    var next: String { "\(max(0, self.left - 1))" }
}
