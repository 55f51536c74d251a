//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The names of a certificate in one line. The names are text of the certificate's author and may contain commas.
extension [String] {
    /// Returns the names separated by commas. A comma in a name is written `\,`, and a backslash `\\`.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of names in the text.
    ///   - count: The total number of names, or `nil` if the array has all of them.
    ///   - isCounted: `true` to append the total if names are left out.
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
