//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
import Foundation
#endif

extension SecurityPolicy {
    /// Reads the certificates of a bundle or folder: `+certificatesInBundle:`.
    ///
    /// Reads every file that ends in `.cer`, `.crt` or `.der`, in any case, with one certificate in DER or any number in PEM.
    /// Subfolders are not read. A file that is not a certificate is an error, as a pin must not disappear silently.
    ///
    /// - Parameter folder: A folder, for example `Bundle.main.resourceURL`.
    /// - Returns: The certificates. Empty if there are no such files.
    /// - Throws: ``SecurityPolicyError`` with the folder or file that cannot be read.
    public static func certificates(in folder: URL) throws(SecurityPolicyError) -> Set<Certificate> {
        try CertificateFolder.certificates(in: folder.path)
    }
}

/// A folder with certificate files to pin.
enum CertificateFolder {
    private static let suffixes = [".cer", ".crt", ".der"]
    /// Far more certificates than a program pins.
    static let maximumCount = 1_000

    static func certificates(in folder: String) throws(SecurityPolicyError) -> Set<Certificate> {
        let names: [String]
        do {
            names = try BoundedFile.entries(of: folder)
        } catch {
            throw SecurityPolicyError(.unreadable(error))
        }
        var certificates: Set<Certificate> = []
        for name in names where Self.suffixes.contains(where: name.lowercased().hasSuffix) {
            certificates.formUnion(try self.certificates(inFile: folder + "/" + name))
            guard certificates.count <= Self.maximumCount else {
                throw SecurityPolicyError(.tooMany(path: folder, limit: Self.maximumCount))
            }
        }
        return certificates
    }

    private static func certificates(inFile path: String) throws(SecurityPolicyError) -> [Certificate] {
        let contents: [UInt8]
        do {
            contents = try BoundedFile.read(path)
        } catch {
            throw SecurityPolicyError(.unreadable(error))
        }
        do {
            return try Certificate.certificates(in: contents)
        } catch {
            throw SecurityPolicyError(.notACertificate(path: path, error))
        }
    }
}

/// The program's own bundle.
enum MainBundle {
    /// The certificates of the bundle, loaded on first use.
    static let certificates = Result { () throws(SecurityPolicyError) -> Set<Certificate> in
        try CertificateFolder.certificates(in: Self.folder)
    }

    /// The folder of the resources: `Bundle.main.resourcePath`, which on systems other than Apple's is the folder of the program.
    private static var folder: String {
        #if canImport(Darwin)
        return Bundle.main.resourcePath ?? "."
        #else
        var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &path, Int(PATH_MAX))
        guard count > 0 else { return "." }
        let program = String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return String(program.prefix(upTo: program.lastIndex(of: "/") ?? program.startIndex))
        #endif
    }
}
