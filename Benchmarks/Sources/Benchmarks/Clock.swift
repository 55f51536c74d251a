//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Processor time of the whole process, which other processes on the machine do not lengthen.
enum Clock {
    static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Something that is timed.
struct Contestant {
    let name: String
    let run: () async throws -> Void
}

/// Times contestants in turns, so that a slow moment of the machine slows all of them, and gives each one's median as a
/// ratio to the first one's in the same round.
func ratios(_ contestants: [Contestant], rounds: Int, batch: Int) async throws -> [(
    name: String, microseconds: Double, ratio: Double
)] {
    var times = [[Double]](repeating: [], count: contestants.count)
    var relative = times
    for _ in 0..<rounds {
        var first = 0.0
        for (index, contestant) in contestants.enumerated() {
            let start = Clock.seconds()
            for _ in 0..<batch { try await contestant.run() }
            let time = (Clock.seconds() - start) / Double(batch)
            if index == 0 { first = time }
            times[index].append(time)
            relative[index].append(time / first)
        }
    }
    func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    return contestants.indices.map { (contestants[$0].name, median(times[$0]) * 1e6, median(relative[$0])) }
}
