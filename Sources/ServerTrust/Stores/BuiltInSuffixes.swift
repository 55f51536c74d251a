//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The public suffix list of this package, for machines without one.
enum BuiltInSuffixes {
    private static let versionMark = "// VERSION: "
    /// The size of the beginning of a list that has its version.
    private static let headerSize = 4_096

    /// Returns the installed or the built-in list, whichever is newer.
    ///
    /// - Parameter installed: A list in the format of publicsuffix.org. One without a version is older than the built-in one, as
    ///   lists have versions since 2024.
    static func newest(_ installed: [UInt8]?) -> [UInt8] {
        if let installed, let version = Self.version(of: installed), version > Self.version { return installed }
        return Self.text.withUTF8Buffer(Array.init)
    }

    static func version(of text: [UInt8]) -> String? {
        let head = String(decoding: text.prefix(Self.headerSize), as: UTF8.self)
        let line = head.split(whereSeparator: \.isNewline).first { $0.hasPrefix(Self.versionMark) }
        return line.map { String($0.dropFirst(Self.versionMark.utf8.count)) }
    }
}
