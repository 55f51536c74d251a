//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Profiles, reasons and identifiers are types of the engine and part of this module's interface. A program that imports ServerTrust
// need not know which module declares them.
@_exported public import CertificatePath
