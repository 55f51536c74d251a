//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

@_exported public import AppleSecurity

// If FoundationNetworking is imported too, these replace its constants, which are unavailable.

/// The method of a challenge about the trust of a server.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
/// The method of a challenge for a client certificate.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
/// The key in an error for the data with which a download can resume.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"
