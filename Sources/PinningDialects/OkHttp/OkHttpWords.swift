//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The fixed texts of OkHttp's `CertificatePinner`, in lines and in Kotlin or Java source code.
enum OkHttpWord {
    static let pinPrefix = "\(Pin.Kind.publicKey.rawValue)/"
    /// The name of the builder's method.
    static let method = "add"
    /// The start of a call of the builder's method.
    static let call = ".add("
    /// The markers that start a comment.
    static let comments = ["#", "//"]
}
