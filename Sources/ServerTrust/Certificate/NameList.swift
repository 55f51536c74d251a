//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The names of a certificate in one line. Names come from certificates, and may have commas of their own.
extension [String] {
    /// The names with commas between them; a comma in a name is written `\,`, and a backslash `\\`.
    ///
    /// - Parameters:
    ///   - limit: The most that are written.
    ///   - count: How many there are; `nil` for as many as are here.
    ///   - isCounted: Whether it is said how many there are, where not all of them are written.
    package func listed(upTo limit: Int, of count: Int? = nil, isCounted: Bool = true) -> String {
        let all = Swift.max(count ?? 0, self.count)
        let names = self.prefix(limit).map { name in
            name.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
                .split(separator: ",", omittingEmptySubsequences: false).joined(separator: "\\,")
        }
        let more = all > names.count ? isCounted ? ", … (\(all) in all)" : ", …" : ""
        return names.joined(separator: ", ") + more
    }
}
