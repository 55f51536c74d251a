//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reading of the rules. Apple's documentation and Apple's engine disagree in places.
///
/// | | `documentation` | `engine` |
/// |---|---|---|
/// | `NSIncludesSubdomains` | one label below the entry's name | any number |
/// | cipher suites | the archived list: no ChaCha20, CBC over SHA-256 and SHA-384 | ChaCha20, CBC over SHA-1 |
/// | `NSAllowsLocalNetworking` overrides `NSAllowsArbitraryLoads` | if it is on | if it is present |
/// | `NSExceptionRequiresForwardSecrecy` off | keys may have any size | keys keep their minimum size |
/// | `NSExceptionMinimumTLSVersion` | TLS | DTLS, too |
/// | addresses and blocks | read as numbers | single ones compared as text, blocks read by the engine's own reader |
public enum ATSStrictness: String, Sendable, Hashable, CaseIterable {
    /// The reading of developer.apple.com, and of the archived Cocoa Keys for any gaps.
    case documentation
    /// The reading of the open source of Security 61901 (SecProtocolConfiguration.m), from which releases of 2025 and later are
    /// built.
    case engine
}

/// The part of an app that loads a URL.
///
/// Some keys of an Info.plist apply only to one of them.
public enum ATSClient: String, Sendable, Hashable, CaseIterable {
    /// The app itself, with URLSession.
    case app
    /// A web view.
    case webContent = "web"
    /// AVFoundation.
    case media
    /// The system itself, for device management, software updates and the installation of apps.
    ///
    /// It has no Info.plist, and it requires FCP_v2.1 from version 27 on (support.apple.com/126655).
    case deviceManagement = "management"
}
