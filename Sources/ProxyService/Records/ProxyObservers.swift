//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import InterceptingProxy

/// Hands events to several observers.
package struct ProxyObservers: InterceptingProxyObserver {
    private let observers: [any InterceptingProxyObserver]

    /// - Parameter observers: Who hears of each event, in this order.
    package init(_ observers: [any InterceptingProxyObserver]) { self.observers = observers }

    package func proxy(_ event: InterceptingProxyEvent) {
        for observer in self.observers { observer.proxy(event) }
    }
}
