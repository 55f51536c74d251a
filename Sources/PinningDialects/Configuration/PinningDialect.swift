//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A file format for pins.
///
/// ``PinningReader`` reads each dialect by the rules of the library or platform that owns it. ``PinningWriter`` writes it, and
/// reports settings that the dialect cannot express.
public enum PinningDialect: String, Sendable, Hashable, CaseIterable {
    /// `NSPinnedDomains` in an Info.plist.
    case ios
    /// Android's `network_security_config.xml`.
    case android
    /// TrustKit's dictionary, in a property list or JSON.
    case trustkit
    /// OkHttp's `CertificatePinner`, with a host pattern and pins on each line.
    case okhttp
    /// The argument of curl's `--pinnedpubkey`, preceded by a host.
    case curl
    /// This package's own format, in JSON.
    case json
}
