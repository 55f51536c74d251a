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
    /// The certificates of a bundle or folder: `+certificatesInBundle:`.
    ///
    /// Every file that ends in `.cer`, `.crt` or `.der`, in whatever case, with one certificate in DER or any number in
    /// PEM. Folders inside are not looked into. A file that is no certificate is an error: a pin must not vanish.
    ///
    /// - Parameter folder: A folder, or `Bundle.main.resourceURL` and its like.
    /// - Returns: The certificates; none where there are no such files.
    /// - Throws: ``SecurityPolicyError`` naming the folder or file that cannot be read.
    public static func certificates(in folder: URL) throws(SecurityPolicyError) -> Set<Certificate> {
        try CertificateFolder.certificates(in: folder.path)
    }
}

/// Certificates to pin, as files of a folder.
enum CertificateFolder {
    private static let suffixes = [".cer", ".crt", ".der"]
    /// Far more than anyone pins, and far less than a folder of the system's roots.
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
    /// Its certificates, loaded when they are first needed.
    static let certificates = Result { () throws(SecurityPolicyError) -> Set<Certificate> in
        try CertificateFolder.certificates(in: Self.folder)
    }

    /// Where its resources are: `Bundle.main.resourcePath`, which elsewhere than on Apple's systems is the folder of the
    /// program.
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
