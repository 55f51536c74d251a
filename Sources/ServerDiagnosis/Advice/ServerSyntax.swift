//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// The configuration syntax of a server product.
///
/// Settings belong into an existing block, so that the settings of several pieces of advice can stand together. All other texts
/// state their own place.
struct ServerSyntax: Sendable {
    /// The place of settings.
    let place: String
    /// The setting for TLS 1.2 and 1.3.
    let versions: String
    /// The setting for suites of TLS 1.2, from their names in this syntax.
    let suites: @Sendable ([String]) -> String
    /// The name of a suite in this syntax, or `nil` for a suite that the product lacks or does not start with.
    let name: @Sendable (CipherSuite) -> String?
    /// The setting for the groups that every client has.
    let groups: String
    /// The setting for signatures with SHA-256, with its place.
    let signatures: String
    /// The setting for the suites of TLS 1.3 that every client has, with its place.
    let newSuites: String
    /// The setting for the files of the certificate chain and the key, with its place.
    let certificate: String
    /// The setting for TLS at a port of a host, with its place.
    let listening: @Sendable (_ host: String, _ port: Int) -> String
    /// The setting for a site of a name, with its place.
    let site: @Sendable (_ host: String) -> String
    /// The setting that answers connections without a name with this site, with its place.
    let defaultSite: @Sendable (_ port: Int) -> String
    /// The setting for the application protocols of a load (RFC 7301), with its place.
    let applicationProtocols: String
    /// The advice for the extended master secret. The setting for versions follows it.
    let extendedMasterSecret: String
    /// The setting that changes redirects from http to https, with its place. It adds no redirect of its own, because the request
    /// already came over TLS and would be redirected in a loop.
    let redirect: String
}
