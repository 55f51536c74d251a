//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A receiver of the results of a scan.
package protocol ScanReceiver: Sendable {
    mutating func receive(_ result: ScanResult) throws(SystemError)
    /// Ends the output after the last result.
    ///
    /// - Parameter isComplete: `true` if the list is done, `false` if the scan was stopped early.
    mutating func end(isComplete: Bool) throws(SystemError)
}
