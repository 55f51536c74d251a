//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

@_exported public import ServerDiagnosis
@_exported public import ServerTrustNIO
@_exported public import TLSProbe
