//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Import this module instead of FoundationNetworking. It has a URLSession of its own and re-exports the values of Foundation.
@_exported public import AppleChallenges
@_exported public import AppleSecurity
@_exported public import Foundation

@_exported public import class FoundationNetworking.HTTPURLResponse
@_exported public import class FoundationNetworking.URLAuthenticationChallenge
@_exported public import protocol FoundationNetworking.URLAuthenticationChallengeSender
@_exported public import class FoundationNetworking.URLCredential
@_exported public import class FoundationNetworking.URLProtectionSpace
@_exported public import struct FoundationNetworking.URLRequest
@_exported public import class FoundationNetworking.URLResponse

/// The default authentication method of a protocol.
public let NSURLAuthenticationMethodDefault = "NSURLAuthenticationMethodDefault"
/// The Basic authentication method (RFC 7617).
public let NSURLAuthenticationMethodHTTPBasic = "NSURLAuthenticationMethodHTTPBasic"
/// The Digest authentication method (RFC 7616).
public let NSURLAuthenticationMethodHTTPDigest = "NSURLAuthenticationMethodHTTPDigest"
/// The authentication method with an HTML form.
public let NSURLAuthenticationMethodHTMLForm = "NSURLAuthenticationMethodHTMLForm"
/// The NTLM authentication method.
public let NSURLAuthenticationMethodNTLM = "NSURLAuthenticationMethodNTLM"
/// The Negotiate authentication method (RFC 4559).
public let NSURLAuthenticationMethodNegotiate = "NSURLAuthenticationMethodNegotiate"
