//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import FuzzTargets
import Synchronization

/// The target that is fuzzed: libFuzzer's callbacks have no other way to know.
final class CurrentTarget: Sendable {
    private let target = Mutex(FuzzTarget.pem)

    var value: FuzzTarget { self.target.withLock { $0 } }
    func select(_ target: FuzzTarget) { self.target.withLock { $0 = target } }
}

let currentTarget = CurrentTarget()

/// libFuzzer as a library (https://llvm.org/docs/LibFuzzer.html): it has a `main` of its own, which is not linked when
/// there is another.
enum LibFuzzer {
    typealias Callback = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

    /// Runs with this process's arguments but the first, which chose the target. Never returns normally when it finds
    /// something.
    static func run() {
        var count = CommandLine.argc - 1
        var arguments = CommandLine.unsafeArgv + 1
        exit(
            runDriver(&count, &arguments) { bytes, count in
                LibFuzzer.feed(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            })
    }

    private static func feed(_ bytes: [UInt8]) {
        let violations = currentTarget.value.violations(for: bytes)
        guard !violations.isEmpty else { return }
        FileHandle.standardError.write(Data(("VIOLATION: " + violations.joined(separator: "; ") + "\n").utf8))
        // libFuzzer catches the signal, and writes the input to a file.
        abort()
    }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: LibFuzzer.Callback
) -> CInt

/// libFuzzer's own mutations.
@_silgen_name("LLVMFuzzerMutate")
func mutateBytes(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int, _ maximumCount: Int) -> Int

/// Called by libFuzzer, if it exists, to change an input.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(
    _ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int, _ maximumCount: Int, _ seed: CUnsignedInt
) -> Int {
    // Most changes to DER break its lengths and end in the parser: half of them are made to its elements instead.
    guard let headerCount = currentTarget.value.headerCount, seed % 2 == 0 else {
        return mutateBytes(bytes, count, maximumCount)
    }
    var mutator = DERMutator(seed: UInt64(seed))
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let changed = mutator.mutate(FuzzInput(input, headerCount: headerCount)).encoded
    guard changed.count <= maximumCount, let bytes else { return mutateBytes(bytes, count, maximumCount) }
    for (index, octet) in changed.enumerated() { bytes[index] = octet }
    return changed.count
}
