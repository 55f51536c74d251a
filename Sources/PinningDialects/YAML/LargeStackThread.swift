//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if YAML

import ConfigurationDocuments
import Foundation
import Synchronization

/// Runs a function that recurses deeper than the stack of the calling thread may hold.
///
/// libyaml allows a thousand levels and has no way to ask for fewer through Yams, which recurses through them with more
/// than a kilobyte each: too much for the 512 KiB of a thread on Darwin, or the 128 KiB of one with musl.
enum LargeStackThread {
    /// Room for twice the levels at eight times the size of each; pages that are not used are never touched.
    private static let size = 32 << 20

    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () -> Result<Value, DocumentError>
    ) throws(DocumentError) -> Value {
        let result = Box<Result<Value, DocumentError>>()
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let value = body()
            result.value.withLock { $0 = value }
            done.signal()
        }
        thread.stackSize = Self.size
        thread.start()
        done.wait()
        guard let value = result.value.withLock({ $0 }) else {
            throw DocumentError(.malformed("the text was not read"))
        }
        return try value.get()
    }

    private final class Box<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }
}

#endif
