//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import InterceptingProxy

/// Hands events to several observers.
struct ProxyObservers: InterceptingProxyObserver {
    private let observers: [any InterceptingProxyObserver]

    /// - Parameter observers: Who hears of each event, in this order.
    init(_ observers: [any InterceptingProxyObserver]) { self.observers = observers }

    func proxy(_ event: InterceptingProxyEvent) {
        for observer in self.observers { observer.proxy(event) }
    }
}
