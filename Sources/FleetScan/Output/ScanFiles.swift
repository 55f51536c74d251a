//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import SystemPackage

/// The files of a scan with their roles.
///
/// A file that is written must not have another role: its contents would be lost, or it would grow for as long as it is read.
package struct ScanFiles {
    /// The role of a file, in words.
    enum Role: String, CaseIterable {
        case list = "the list"
        case source = "a file that is read"
        case earlier = "the file to resume from"
        case compared = "the file to compare with"
        case output = "the file for the results"
        case summary = "the file for the summary"
    }

    private let paths: [(role: Role, path: String)]
    /// `true` if the same file may be the output and the earlier results, because results are appended to it.
    private let addsToEarlier: Bool
    /// The role of standard input, or `nil` if it is not read.
    private let inputRole: Role?

    /// Creates the files of a scan.
    ///
    /// - Parameters:
    ///   - options: The options that name the files.
    ///   - list: The path of the list, or `-` for standard input.
    package init(_ options: ScanDestination, list: String) {
        let inputs = options.sources.isEmpty ? [(Role.list, list)] : options.sources.map { (Role.source, $0) }
        let others: [(Role, String?)] = [
            (.earlier, options.earlier), (.compared, options.compared), (.output, options.file),
            (.summary, options.summaryFile),
        ]
        self.inputRole = inputs.first { $0.1 == "-" }?.0
        self.paths = inputs.filter { $0.1 != "-" } + others.compactMap { role, path in path.map { (role, $0) } }
        self.addsToEarlier = options.resolvedFormat == .ndjson
    }

    /// Opens a file for writing, locks it for this process, and keeps its contents.
    ///
    /// - Throws: ``FleetError`` if the file has another role or cannot be written. The file is then unchanged.
    func open(_ path: String, as role: Role) throws -> Descriptor {
        let file: Descriptor
        do throws(SystemError) {
            file = try Descriptor.writing(path)
        } catch .noSuchAddressOrDevice {
            throw FleetError("\(path): is a pipe or socket that no program reads. Start the reader first")
        } catch {
            throw FleetError("\(path): cannot be written: \(error)")
        }
        do {
            try self.requireApart(file, path, as: role)
            guard file.claim() else { throw FleetError("\(path): another scan writes to it") }
        } catch {
            try? file.close()
            throw error
        }
        return file
    }

    func checkStandardOutput() throws { try self.requireApart(.standardOutput, "standard output", as: .output) }

    private func requireApart(_ file: Descriptor, _ name: String, as role: Role) throws {
        guard let identity = file.identity else { return }
        let other = Role.allCases.first { other in
            other != role && !self.mayBeSame(role, other) && self.identities(of: other).contains(identity)
        }
        guard let other else { return }
        throw FleetError("\(name): is \(other.rawValue), too. Name another file to write to")
    }

    private func mayBeSame(_ role: Role, _ other: Role) -> Bool {
        self.addsToEarlier && role == .output && other == .earlier
    }

    private func identities(of role: Role) -> [FileIdentity] {
        let input = role == self.inputRole ? Descriptor.standardInput.identity.map { [$0] } ?? [] : []
        return input + self.paths.filter { $0.role == role }.compactMap { FileIdentity(path: $0.path) }
    }
}
