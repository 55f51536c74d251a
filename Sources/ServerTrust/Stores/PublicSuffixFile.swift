//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// The public-suffix list of the system (Debian's package `publicsuffix`, Fedora's `publicsuffix-list`).
public enum PublicSuffixFile {
    private static let locations = [
        "/usr/share/publicsuffix/public_suffix_list.dat",
        "/usr/share/publicsuffix/effective_tld_names.dat",
        "/usr/share/publicsuffix-list/public_suffix_list.dat",
    ]

    /// The list where distributions install it, read when a wildcard is first asked about.
    ///
    /// - Returns: The list; `nil` when no list is installed. Wildcards below public suffixes then pass, as they do on Apple's
    ///   systems when theirs cannot be loaded; so they do when what is installed cannot be read.
    public static func system() -> PublicSuffixList? {
        let installed = Self.locations.filter { BoundedFile.exists($0) }
        guard !installed.isEmpty else { return nil }
        return PublicSuffixList { Self.text(installed) ?? [] }
    }

    /// The text of the list where distributions install it; `nil` when no list is installed or can be read.
    package static func systemText() -> [UInt8]? { Self.text(Self.locations) }

    private static func text(_ paths: [String]) -> [UInt8]? {
        for path in paths {
            if let text = try? BoundedFile.read(path) { return text }
        }
        return nil
    }

    /// Reads a list in the format of publicsuffix.org.
    ///
    /// - Parameter path: The file.
    /// - Throws: ``FileError`` when it cannot be read.
    public static func read(_ path: String) throws(FileError) -> PublicSuffixList {
        PublicSuffixList(parsing: try BoundedFile.read(path))
    }
}
