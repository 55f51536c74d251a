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
    /// The name of the environment variable with the path of a data folder.
    public static let environmentVariable = "SERVERTRUST_APPLE_DATA"

    /// Returns the available data: those in the folder that `SERVERTRUST_APPLE_DATA` names. Without the variable, the newer version
    /// of each part, from the data that `servertrust apple-data update` fetched and the built-in data.
    ///
    /// - Parameter environment: The environment, or `nil` for the environment of the process. The latter counts as empty in a
    ///   program that is set-uid, set-gid or has file capabilities.
    /// - Throws: ``AppleTrustDataError`` if there is a folder and its data are missing or malformed.
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
        // A broken link, or a file, was meant as data, and must not be replaced silently by the built-in ones.
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

    /// Returns the folder that `servertrust apple-data update` writes (XDG Base Directory Specification), or `nil` for a process
    /// without a home.
    ///
    /// - Parameter environment: The environment, or `nil` for that of the process, as in ``atHand(environment:)``.
    public static func updatedFolder(environment: [String: String]? = nil) -> String? {
        let environment = environment ?? ProcessPrivilege.environment()
        let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.local/share" : nil }
        return (data ?? home).map { $0 + "/servertrust/apple-data" }
    }
}
