//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// How a server writes down what there is to change.
///
/// Settings are what stands inside of something that is there already, so that those of several pieces of advice can be
/// written side by side; everything else says itself where it goes.
struct ServerSyntax: Sendable {
    /// Where settings go.
    let place: String
    /// The setting for versions 1.2 and 1.3 of TLS.
    let versions: String
    /// The setting for suites of TLS 1.2 by their names, as they are called there.
    let suites: @Sendable ([String]) -> String
    /// The name of a suite there; `nil` for one that it has not, or would not start with.
    let name: @Sendable (CipherSuite) -> String?
    /// The setting for the groups that every client has.
    let groups: String
    /// How it comes to sign over SHA-256, with its place.
    let signatures: String
    /// How it comes to take the suites of TLS 1.3 that every client has, with its place.
    let newSuites: String
    /// The files of a certificate, with its chain, and of its key, with their place.
    let certificate: String
    /// How it comes to speak TLS at a port of a host at all, with its place.
    let listening: @Sendable (_ host: String, _ port: Int) -> String
    /// How it comes to have a site of a name, with its place.
    let site: @Sendable (_ host: String) -> String
    /// The reason why a connection without a name gets this site, with the place of the setting.
    let defaultSite: @Sendable (_ port: Int) -> String
    /// How it comes to speak the protocols of a load (RFC 7301), with its place.
    let applicationProtocols: String
    /// How it comes to bind keys to the handshake; versions come after it.
    let extendedMasterSecret: String
    /// How redirects to http come to lead to https, with its place. Never a redirect of its own: what is redirected is
    /// loaded over TLS already, and would go round in a circle.
    let redirect: String
}
