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

/// Whether the program may do what the user who started it may not: it is set-uid or set-gid, or its file has capabilities.
enum ProcessPrivilege {
    /// The variables of the environment that may choose what is trusted: none for a program with more privileges than its
    /// user, who chose the variables. OpenSSL asks `secure_getenv` for the same reason.
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
            // A process with capabilities of its file may not even read its own; without /proc its user is all there is.
            return error.reason == .system(EACCES) || error.reason == .system(EPERM)
        }
    }
    #endif

    /// Whether the kernel set AT_SECURE (getauxval(3)), in pairs of a type and a value in the machine's words.
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

    /// AT_SECURE of linux/auxvec.h.
    private static let secureType: UInt = 23
}
