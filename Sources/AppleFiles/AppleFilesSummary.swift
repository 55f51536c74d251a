//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// The answers of this library's readers in a few words, for the fuzzers, which see no package symbols.
public enum AppleFilesSummary {
    /// A configuration profile: its name, its servers and how many certificates it has; `nil` for other octets.
    public static func profile(_ octets: [UInt8]) -> [String]? {
        guard let profile = try? ConfigurationProfile(octets) else { return nil }
        return [profile.name, "\(profile.payloads)", "\(profile.certificates.count)", "\(profile.issues.count)"]
            + profile.servers.map { "\($0.rule.rawValue) \($0.address)" }
    }

    /// The content of a signed message and whether every signature holds; `nil` for other octets.
    public static func message(_ octets: [UInt8]) -> (content: [UInt8], isValid: Bool)? {
        guard let message = try? SignedMessage(octets) else { return nil }
        let isValid = !message.signers.isEmpty && message.signers.allSatisfy { $0.signature == .valid }
        return (message.content, isValid)
    }

    /// The servers of a log with their faults, read in pieces of a size.
    public static func log(_ octets: [UInt8], pieces: Int) -> [String] {
        var reader = LogReader(small: ())
        var rest = octets[...]
        do {
            try reader.read { buffer in
                let part = rest.prefix(min(buffer.count, max(1, pieces)))
                buffer.copyBytes(from: part)
                rest = rest.dropFirst(part.count)
                return part.count
            }
        } catch {
            return []
        }
        let servers = reader.log.servers.flatMap { server in
            server.findings.map { "\(server.name ?? "-") \($0.fault) \($0.errors) \($0.warnings)" }
        }
        return servers + reader.log.unknown.map { "\($0.text) \($0.count)" } + ["\(reader.log.leftOut)"]
    }
}
