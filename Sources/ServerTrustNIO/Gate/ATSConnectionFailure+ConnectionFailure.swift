//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import TLSWire

extension ATSConnectionFailure {
    /// A failure as App Transport Security tells failures apart.
    init(_ failure: ConnectionFailure) {
        switch failure.cause {
        case .noAddress: self = .hostNotFound
        case .timedOut: self = .timedOut
        case .closed, .reset, .other: self = .closed
        case .alert(let alert): self = .alert(alert)
        case .nothingInCommon: self = .nothingInCommon
        case .violation: self = .protocolError
        case .forbiddenAddress, .refused, .unreachable, .starved, .proxy, .startTLS: self = .notConnected
        }
    }
}
