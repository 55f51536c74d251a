//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Something that keeps a scan from its work, said in one line with what to do about it.
package struct FleetError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, and what to do.
    package let description: String

    /// An error that says what is wrong, and what to do.
    package init(_ description: String) {
        self.description = description
    }
}

/// Receives what people are to be told besides results, a line at a time.
package typealias Complaint = @Sendable (String) -> Void
