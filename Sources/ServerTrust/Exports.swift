//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Profiles, reasons and identifiers are the engine's types and part of this module's interface: a program that imports
// ServerTrust should not have to know where the line between the two runs.
@_exported public import CertificatePath
