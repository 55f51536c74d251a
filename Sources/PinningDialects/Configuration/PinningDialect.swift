//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A way in which pins are written.
public enum PinningDialect: String, Sendable, Hashable, CaseIterable {
    /// `NSPinnedDomains` in an Info.plist.
    case ios
    /// Android's `network_security_config.xml`.
    case android
    /// TrustKit's dictionary, in a property list or JSON.
    case trustkit
    /// OkHttp's `CertificatePinner`: a host pattern and pins on each line.
    case okhttp
    /// The argument of curl's `--pinnedpubkey`, a host in front of it.
    case curl
    /// This package's own, in JSON.
    case json
}
