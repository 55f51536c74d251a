//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Whose reading of the rules holds: Apple's documentation and Apple's engine disagree in places.
///
/// | | ``documentation`` | ``engine`` |
/// |---|---|---|
/// | `NSIncludesSubdomains` | one label below the entry's name | any number |
/// | cipher suites | the archived list: no ChaCha20, CBC over SHA-256 and SHA-384 | ChaCha20, CBC over SHA-1 |
/// | `NSAllowsLocalNetworking` takes `NSAllowsArbitraryLoads` out of force | when it is on | when it is there |
/// | `NSExceptionRequiresForwardSecrecy` off | keys may have any size | keys keep their least size |
/// | `NSExceptionMinimumTLSVersion` | TLS | DTLS too |
/// | addresses and blocks | read as numbers | single ones compared as text, blocks read by the engine's own reader |
public enum ATSStrictness: String, Sendable, Hashable, CaseIterable {
    /// developer.apple.com, and the archived Cocoa Keys for what it leaves out.
    case documentation
    /// The open source of Security 61901 (SecProtocolConfiguration.m), from which releases of 2025 and later are built.
    case engine
}

/// Who in an app loads something.
public enum ATSClient: String, Sendable, Hashable, CaseIterable {
    /// The app itself, with URLSession.
    case app
    /// A web view.
    case webContent = "web"
    /// AVFoundation.
    case media
    /// Not an app: the system itself, for device management, software updates and the installation of apps. It has no
    /// Info.plist, and from version 27 on it demands FCP_v2.1 (support.apple.com/126655).
    case deviceManagement = "management"
}
