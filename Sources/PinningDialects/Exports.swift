//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Diagnostics say where things are; reading a line number should not need a second import.
@_exported public import ConfigurationDocuments
