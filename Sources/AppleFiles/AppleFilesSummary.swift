//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// Summaries of the results of this library's readers, for the fuzz targets.
///
/// The fuzz targets cannot use `package` declarations, so that these functions return plain values.
public enum AppleFilesSummary {
    /// Reads a configuration profile and returns its name, its number of payloads, of certificates and of issues, and its servers.
    ///
    /// - Returns: `nil` if the octets are not a profile that can be read.
    public static func profile(_ octets: [UInt8]) -> [String]? {
        guard let profile = try? ConfigurationProfile(octets) else { return nil }
        return [profile.name, "\(profile.payloads)", "\(profile.certificates.count)", "\(profile.issues.count)"]
            + profile.servers.map { "\($0.rule.rawValue) \($0.address)" }
    }

    /// Reads a signed message and returns its content and `true` if every signature is valid.
    ///
    /// - Returns: `nil` if the octets are not a signed message. A message without signers is not valid.
    public static func message(_ octets: [UInt8]) -> (content: [UInt8], isValid: Bool)? {
        guard let message = try? SignedMessage(octets) else { return nil }
        let isValid = !message.signers.isEmpty && message.signers.allSatisfy { $0.signature == .valid }
        return (message.content, isValid)
    }

    /// Reads a log in pieces of at most `pieces` octets and returns its servers with their faults.
    ///
    /// The result ends with the unknown lines and the number of lines left out.
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
