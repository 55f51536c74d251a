//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Something that becomes of results.
package protocol ScanReceiver: Sendable {
    mutating func receive(_ result: ScanResult) throws(SystemError)
    /// Called when there are no more.
    ///
    /// - Parameter isComplete: Whether the list is done; otherwise the scan was stopped before its end.
    mutating func end(isComplete: Bool) throws(SystemError)
}
