//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// The public suffix lists of the machine (Debian's package `publicsuffix`, Fedora's `publicsuffix-list`) and of this package.
///
/// Wildcards in certificates must not cover a public suffix such as `co.uk`. ``TrustConfiguration/publicSuffixes`` is the list that
/// evaluations use.
public enum PublicSuffixFile {
    private static let locations = [
        "/usr/share/publicsuffix/public_suffix_list.dat",
        "/usr/share/publicsuffix/effective_tld_names.dat",
        "/usr/share/publicsuffix-list/public_suffix_list.dat",
    ]

    private static let ofRegistries = Self.list(.registries)
    private static let ofAll = Self.list(.all)

    /// Returns the newer of two lists: the one that distributions install, and the one of this package.
    ///
    /// A machine without an installed list, such as a container, thus has the same rules, as every Apple system has a list. The
    /// list is read with the first lookup, once for the whole program.
    ///
    /// - Parameter sections: The rules that count.
    public static func system(_ sections: PublicSuffixList.Sections = .registries) -> PublicSuffixList {
        switch sections {
        case .registries: Self.ofRegistries
        case .all: Self.ofAll
        }
    }

    /// Returns the newer of two lists, read with the first lookup.
    ///
    /// - Parameters:
    ///   - sections: The rules that count.
    ///   - paths: The possible paths of an installed list. The first readable file counts.
    package static func list(
        _ sections: PublicSuffixList.Sections, installedAt paths: [String] = Self.locations
    ) -> PublicSuffixList {
        PublicSuffixList(sections: sections) {
            BuiltInSuffixes.newest(paths.lazy.compactMap { try? BoundedFile.read($0) }.first)
        }
    }

    /// Reads a list in the format of publicsuffix.org.
    ///
    /// - Parameter path: The file.
    /// - Throws: ``FileError`` if the file cannot be read.
    public static func read(_ path: String) throws(FileError) -> PublicSuffixList {
        PublicSuffixList(parsing: try BoundedFile.read(path))
    }
}
