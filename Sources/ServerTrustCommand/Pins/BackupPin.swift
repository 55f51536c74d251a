//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust

/// The pin of a backup key, as a pin or as a file with the key.
enum BackupPin {
    /// Returns the pin that a text is, or that of the key in the file that it names.
    ///
    /// - Parameter text: A pin, or the path of a certificate, a certificate request or a public key in PEM or DER.
    static func pin(_ text: String) throws -> Pin {
        if let pin = try? Pin(text) { return pin }
        let isFile = BoundedFile.exists(text) && !BoundedFile.isFolder(text)
        return isFile ? try Self.pin(inFileAt: text) : try Pin(text)
    }

    private static func pin(inFileAt path: String) throws -> Pin {
        let contents = try BoundedFile.read(path)
        let pins = Set(try Self.encodings(in: contents).compactMap(Self.pin(ofKeyIn:)))
        guard let pin = pins.first else {
            let advice =
                FileKind(of: contents).isPrivateKey
                ? "Write its public key to a file with `openssl pkey -in \(path) -pubout -out public.pem`, and give public.pem"
                : "Give a certificate, a certificate request or a public key in PEM or DER, or the pin itself"
            throw CommandError("this is \(FileKind(of: contents).title). \(advice)")
        }
        guard pins.count == 1 else {
            throw CommandError("the file has \(pins.count) keys. Give a file with the backup key alone")
        }
        return pin
    }

    private static func encodings(in contents: [UInt8]) -> [[UInt8]] {
        guard case .pem = FileKind(of: contents) else { return [contents] }
        var blocks = PEMBlocks(contents)
        var encodings: [[UInt8]] = []
        while let block = blocks.next() { if let der = block.der { encodings.append(der) } }
        return encodings
    }

    private static func pin(ofKeyIn der: [UInt8]) throws -> Pin? {
        switch EncodedKind(of: der) {
        case .certificate: Pin(keyOf: try Certificate(der: der))
        case .certificateRequest: Pin(subjectPublicKeyInfo: try CertificateRequest(der: der).subjectPublicKeyInfo)
        case .publicKey: Pin(subjectPublicKeyInfo: der)
        default: nil
        }
    }
}
