//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleFiles
import FleetScan
import ServerDiagnosis
import ServerTrust
import SystemPackage

/// A configuration profile that was named instead of servers.
struct ProfileFile {
    let path: String
    let profile: ConfigurationProfile

    /// Reads a profile. Returns `nil` if the text is a host or names a file of another kind.
    ///
    /// - Throws: ``CommandError`` if the name is that of a profile and the file cannot be read.
    init?(_ text: String) throws(CommandError) {
        guard Self.isNamed(by: text) else { return nil }
        do {
            self.path = text
            self.profile = try ConfigurationProfile(try BoundedFile.read(text))
        } catch let error as FileError {
            throw CommandError("\(error)")
        } catch {
            throw CommandError("\(text): \(error)")
        }
    }

    /// Returns `true` if a text names a profile, by its extension or by the contents of the file.
    static func isNamed(by text: String) -> Bool {
        if text.hasSuffix(".mobileconfig") { return true }
        guard BoundedFile.exists(text), !BoundedFile.isFolder(text), let octets = try? BoundedFile.read(text) else {
            return false
        }
        return ConfigurationProfile.isProfile(octets)
    }

    /// The servers that use TLS, as targets without repetitions.
    var targets: [String] {
        var known = Set<String>()
        return self.profile.servers.filter { $0.rule == .management || $0.rule == .tls }.map(\.address)
            .filter { known.insert($0).inserted }
    }

    /// Refuses a profile that devices do not install, because all of it has no effect.
    ///
    /// - Throws: ``CommandError`` with the first reason.
    func checkInstalls() throws(CommandError) {
        guard let issue = self.profile.issues.first(where: \.isFatal) else { return }
        throw CommandError(
            "\(self.path): devices do not install the profile: \(issue.message) `servertrust diagnose` says more")
    }

    /// Refuses a profile with rules that a plain list of its servers would lose.
    ///
    /// - Throws: ``CommandError`` with the rule.
    func checkIsPlain() throws(CommandError) {
        let hasPins = self.profile.servers.contains { !$0.pins.isEmpty || $0.requiresRevocation }
        guard hasPins || !self.profile.revocationKeys.isEmpty else { return }
        throw CommandError(
            "\(self.path): the profile pins its servers, or demands their revocation status. Ask by servertrust diagnose, "
                + "which holds them to it")
    }

    /// The roots that a device with the profile trusts. If a person installs the profile, its roots are not trusted by default.
    var trustedRoots: [Certificate] { self.profile.enrols ? self.profile.roots : [] }
}

/// The named servers, including those of profiles.
struct NamedServers {
    private(set) var targets: [String] = []
    private(set) var roots: [Certificate] = []

    /// Reads servers and profiles.
    ///
    /// - Parameter words: Servers and profiles.
    /// - Throws: ``CommandError`` if a profile cannot be read or names no server.
    init(_ words: [String]) throws(CommandError) {
        for word in words {
            guard let file = try ProfileFile(word) else {
                try MisplacedFile.refuse(asServer: word)
                self.targets.append(word)
                continue
            }
            try file.checkInstalls()
            try file.checkIsPlain()
            guard !file.targets.isEmpty else {
                throw CommandError("\(word): the profile names no server that speaks TLS")
            }
            self.targets += file.targets
            self.roots += file.trustedRoots
        }
    }

    /// Reads the servers of a file if it is a profile. Otherwise there are none.
    init(profileAt path: String) throws(CommandError) {
        if try ProfileFile(path) != nil { try self.init([path]) } else { try self.init([]) }
    }

    /// Trusts the roots of the profiles, like a device on which they are installed.
    func addRoots(to settings: inout CommandTrust) {
        for root in self.roots { settings.trust.rules.anchors.add(root, as: .user) }
    }

    /// Returns the servers of a profile as a list for a scan.
    ///
    /// - Throws: An error of the operating system.
    static func list(_ targets: [String]) throws -> LineInput {
        let file = try Descriptor.temporary()
        try file.write(Array((targets.joined(separator: "\n") + "\n").utf8))
        try file.seek(offset: 0, from: .start)
        return try LineInput(file, closing: true)
    }
}
