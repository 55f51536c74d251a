//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

extension ServerFacts {
    /// Withdraws the conclusions from silence about a server that later lost connections by chance. It is no longer known which of
    /// its silences were refusals.
    mutating func doubt(_ silence: Set<RefusalInference.Kind>) {
        for index in self.versions.indices { self.versions[index].support.doubt(silence) }
        for index in self.cipherSuites.indices where self.cipherSuites[index].isComplete {
            self.cipherSuites[index].isComplete = false
            self.cipherSuites[index].failure = .closed
        }
        for index in self.groups.indices where self.groups[index].isComplete {
            self.groups[index].isComplete = false
            self.groups[index].failure = .closed
        }
        self.unclearOffers += self.refusedOffers
        self.refusedOffers = []
        for index in self.features.tolerance.indices where self.features.tolerance[index].isTolerated == false {
            self.features.tolerance[index].isTolerated = nil
        }
        if silence.contains(.connection) { self.anomalies.removeAll { $0 == .refusesSilently } }
    }
}

extension VersionFact.Support {
    fileprivate mutating func doubt(_ silence: Set<RefusalInference.Kind>) {
        switch self {
        case .refused(.silence) where silence.contains(.connection): self = .unknown(.closed)
        case .refused(.alert(let alert)) where silence.contains(.alert) && !alert.isRefusal:
            self = .unknown(.alert(alert))
        default: break
        }
    }
}
