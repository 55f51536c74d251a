//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Diagnostics say where things are; nobody should need a second import to read a line number.
@_exported public import ConfigurationDocuments
