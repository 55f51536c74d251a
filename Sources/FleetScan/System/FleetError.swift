//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error that prevents a scan, described in one line with its remedy.
package struct FleetError: Error, Sendable, CustomStringConvertible {
    /// The problem and its remedy.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// A closure that receives messages for the user other than results, one line at a time.
package typealias Complaint = @Sendable (String) -> Void
