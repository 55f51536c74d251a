//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The elevated privileges of a program over its user: set-uid, set-gid, or capabilities of its file.
enum ProcessPrivilege {
    /// Returns the environment variables that may choose the trust stores. It is empty for a program with more privileges than its
    /// user, as the user chose the variables. OpenSSL uses `secure_getenv` for the same reason.
    static func environment(isElevated: Bool = Self.isElevated) -> [String: String] {
        isElevated ? [:] : ProcessInfo.processInfo.environment
    }

    #if canImport(Darwin)
    private static var isElevated: Bool { issetugid() != 0 }
    #else
    private static var isElevated: Bool {
        guard getuid() == geteuid(), getgid() == getegid() else { return true }
        do {
            return Self.isSecure(auxiliaryVector: try BoundedFile.read("/proc/self/auxv"))
        } catch {
            // A process with file capabilities may be unable to read its own vector. Without /proc only its IDs can be compared.
            return error.reason == .system(EACCES) || error.reason == .system(EPERM)
        }
    }
    #endif

    /// Returns `true` if the kernel set AT_SECURE (getauxval(3)). The vector has pairs of a type and a value in machine words.
    static func isSecure(auxiliaryVector bytes: [UInt8]) -> Bool {
        let size = MemoryLayout<UInt>.size
        let words = stride(from: 0, to: bytes.count - bytes.count % size, by: size).map { start in
            bytes[start..<start + size].enumerated().reduce(UInt(0)) { word, octet in
                let place = UInt(1).bigEndian == 1 ? size - 1 - octet.offset : octet.offset
                return word | UInt(octet.element) << UInt(8 * place)
            }
        }
        return stride(from: 0, to: words.count - words.count % 2, by: 2).contains {
            words[$0] == Self.secureType && words[$0 + 1] != 0
        }
    }

    /// The number of AT_SECURE in linux/auxvec.h.
    private static let secureType: UInt = 23
}
