//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension AppleTrustData {
    /// The variable of the environment that names a folder with data.
    public static let environmentVariable = "SERVERTRUST_APPLE_DATA"

    /// The data that are at hand: those in the folder that `SERVERTRUST_APPLE_DATA` names; otherwise, of each part, the newer of
    /// those that `servertrust apple-data update` has fetched and the built-in ones.
    ///
    /// - Parameter environment: The environment to look in; `nil` for the process's own, of which nothing is used in a
    ///   program that is set-uid or set-gid or whose file has capabilities.
    /// - Throws: ``AppleTrustDataError`` when there is a folder, and its data are missing or malformed.
    public static func atHand(environment: [String: String]? = nil) throws(AppleTrustDataError) -> AppleTrustData {
        let environment = environment ?? ProcessPrivilege.environment()
        if let folder = environment[Self.environmentVariable], !folder.isEmpty {
            do throws(AppleTrustDataError) {
                return try AppleTrustData(folder: folder)
            } catch {
                throw AppleTrustDataError(
                    "\(Self.environmentVariable)=\(folder)/\(error.file)", error.reason, remedy: error.remedy)
            }
        }
        guard let folder = Self.updatedFolder(environment: environment) else { return .builtIn }
        // A link that leads nowhere, or a file, stands for data that were meant to be used.
        guard BoundedFile.isLink(folder) || BoundedFile.exists(folder) else { return .builtIn }
        let updated: AppleTrustData
        do throws(AppleTrustDataError) {
            updated = try AppleTrustData(folder: folder, completedBy: .builtIn)
        } catch {
            let remedy = "Update Apple's data again, or remove \(folder) to use the built-in data."
            throw AppleTrustDataError("\(folder)/\(error.file)", error.reason, remedy: remedy)
        }
        return updated.newest(with: .builtIn)
    }

    /// The folder that `servertrust apple-data update` writes (XDG Base Directory Specification); `nil` for a process without
    /// a home.
    ///
    /// - Parameter environment: The environment to look in; `nil` for the process's own, as for ``atHand(environment:)``.
    public static func updatedFolder(environment: [String: String]? = nil) -> String? {
        let environment = environment ?? ProcessPrivilege.environment()
        let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.local/share" : nil }
        return (data ?? home).map { $0 + "/servertrust/apple-data" }
    }
}
