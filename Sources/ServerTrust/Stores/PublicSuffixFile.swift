//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// The public suffix list of the machine (Debian's package `publicsuffix`, Fedora's `publicsuffix-list`), and the list of this package.
public enum PublicSuffixFile {
    private static let locations = [
        "/usr/share/publicsuffix/public_suffix_list.dat",
        "/usr/share/publicsuffix/effective_tld_names.dat",
        "/usr/share/publicsuffix-list/public_suffix_list.dat",
    ]

    private static let ofRegistries = Self.list(.registries)
    private static let ofAll = Self.list(.all)

    /// The newer list of two: the one where distributions install it, and the one that is part of this package.
    ///
    /// A machine without an installed list, such as a container, has the same rules, as every Apple system has a list. Nothing is
    /// read before a name is first asked about, and then once for the whole program.
    ///
    /// - Parameter sections: Which rules count.
    public static func system(_ sections: PublicSuffixList.Sections = .registries) -> PublicSuffixList {
        switch sections {
        case .registries: Self.ofRegistries
        case .all: Self.ofAll
        }
    }

    /// The newer list of two, read when a name is first asked about.
    ///
    /// - Parameters:
    ///   - sections: Which rules count.
    ///   - paths: Where a list may be installed. The first file that can be read counts.
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
    /// - Throws: ``FileError`` when it cannot be read.
    public static func read(_ path: String) throws(FileError) -> PublicSuffixList {
        PublicSuffixList(parsing: try BoundedFile.read(path))
    }
}
