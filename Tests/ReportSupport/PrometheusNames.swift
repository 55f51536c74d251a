//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

/// The names of all metrics, when every line is what the format allows and no series is there twice.
package func prometheusNames(in text: String) throws -> Set<String> {
    #expect(text.hasSuffix("\n"))
    var (names, series): (Set<String>, Set<Substring>) = ([], [])
    let sample =
        /([a-zA-Z_:][a-zA-Z0-9_:]*)(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)*\})? (NaN|[+-]?Inf|-?[0-9.]+(e[+-]?[0-9]+)?)/
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
        if let help = line.wholeMatch(of: /# (HELP|TYPE) ([a-z_]+) (.+)/) {
            if help.1 == "TYPE" {
                #expect(names.insert(String(help.2)).inserted && ["gauge", "counter"].contains(help.3))
            }
        } else {
            let match = try #require(line.wholeMatch(of: sample), "\(line)")
            #expect(names.contains(String(match.1)) && series.insert(line.prefix { $0 != " " }).inserted, "\(line)")
        }
    }
    return names
}
