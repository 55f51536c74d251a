//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The words of OkHttp's `CertificatePinner`, in lines and in Kotlin's or Java's source.
enum OkHttpWord {
    /// What every pin begins with.
    static let pinPrefix = "\(Pin.Kind.publicKey.rawValue)/"
    /// The method of the builder.
    static let method = "add"
    /// How a call of it begins.
    static let call = ".add("
    /// What a line of comment begins with.
    static let comments = ["#", "//"]
}
