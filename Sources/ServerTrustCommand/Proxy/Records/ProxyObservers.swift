//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import InterceptingProxy

/// An observer that forwards events to several observers.
struct ProxyObservers: InterceptingProxyObserver {
    private let observers: [any InterceptingProxyObserver]

    /// Creates an observer.
    ///
    /// - Parameter observers: The observers, in the order in which they receive each event.
    init(_ observers: [any InterceptingProxyObserver]) { self.observers = observers }

    func proxy(_ event: InterceptingProxyEvent) {
        for observer in self.observers { observer.proxy(event) }
    }
}
