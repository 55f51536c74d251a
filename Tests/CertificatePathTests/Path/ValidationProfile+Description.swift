//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath
public import Testing

extension ValidationProfile: CustomTestStringConvertible {
    public var testDescription: String { self.name }
}
