//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Diagnostics have lines; what else the module has is the package's own.
@_exported public import ConfigurationDocuments
