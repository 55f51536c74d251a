//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Versions, cipher suites and alerts are part of this module's interface.
@_exported public import TLSWire
