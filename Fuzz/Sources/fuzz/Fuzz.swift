//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import FuzzTargets

/// `fuzz TARGET [libFuzzer's options]` fuzzes; `fuzz seeds TARGET FOLDER` writes the inputs to start from.
@main
enum Fuzz {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.count == 3, arguments.first == "seeds", let target = FuzzTarget(rawValue: Array(arguments)[1]) {
            try self.writeSeeds(of: target, to: Array(arguments)[2])
        } else if let target = arguments.first.flatMap(FuzzTarget.init) {
            currentTarget.select(target)
            LibFuzzer.run()
        } else {
            let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: "|")
            print("usage: fuzz \(names) [options of libFuzzer]\n       fuzz seeds TARGET FOLDER")
            exit(2)
        }
    }

    private static func writeSeeds(of target: FuzzTarget, to folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let seeds = try target.seeds
        for (number, seed) in seeds.enumerated() {
            let path = "\(folder)/seed-\(String(number + 1_000).dropFirst())"
            try Data(seed).write(to: URL(fileURLWithPath: path))
            let violations = target.violations(for: seed)
            if !violations.isEmpty { print("\(path): \(violations.joined(separator: "; "))") }
        }
        print("\(seeds.count) seeds in \(folder)")
    }
}
