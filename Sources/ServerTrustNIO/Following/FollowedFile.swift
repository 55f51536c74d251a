//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath
public import ServerTrust

/// A file that decides about trust, and the reading of its content.
///
/// ```swift
/// let roots = FollowedFile.certificates("/etc/app/roots.pem")
/// let pins = FollowedFile("/etc/app/pins.json") { try PinFile(contents: $0) }
/// ```
///
/// Give it to a ``FileFollower``, which reads it again when it changes.
public struct FollowedFile<Value: Sendable>: Sendable {
    /// The path of the file. Symbolic links are followed at each reading.
    public let path: String
    /// The maximum size of the file, in bytes.
    public let maximumSize: Int

    let parse: @Sendable ([UInt8]) throws -> Value

    /// Creates a followed file.
    ///
    /// - Parameters:
    ///   - path: The path of a regular file.
    ///   - maximumSize: The maximum size of the file, in bytes. A larger file is not read.
    ///   - parse: Reads the content. It throws if the content is not usable.
    public init(
        _ path: String, maximumSize: Int = 32 << 20, parse: @escaping @Sendable ([UInt8]) throws -> Value
    ) {
        self.path = path
        self.maximumSize = maximumSize
        self.parse = parse
    }
}

extension FollowedFile where Value == [Certificate] {
    /// Returns a file of certificates: any number in PEM, or one in DER.
    public static func certificates(_ path: String) -> Self {
        Self(path) { try Certificate.certificates(in: $0) }
    }
}

extension FollowedFile where Value == [CertificateList] {
    /// Returns a file of CRLs: any number in PEM, or one in DER.
    public static func revocationLists(_ path: String) -> Self {
        Self(path) { try CertificateList.lists(in: $0) }
    }
}

/// The error for a followed file that cannot be used.
public struct FollowedFileError: Error, Sendable {
    /// The path of the file.
    public let path: String
    /// The reason: a `FileError`, or the error of the file's parser.
    public let cause: any Error
}

extension FollowedFileError: CustomStringConvertible {
    /// The file and the reason, in one line.
    public var description: String {
        self.cause is FileError ? "\(self.cause)" : "\(self.path): \(self.cause)"
    }
}
