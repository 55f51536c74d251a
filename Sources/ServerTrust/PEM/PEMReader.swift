//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

internal import CertificatePath

/// A reader of the certificates, or the revocation lists, in a PEM text (RFC 7468).
///
/// RFC 7468 §2 lets a parser skip unknown text. This reader must never lose a certificate or list, so it skips only text and blocks
/// that hold something else according to ``PEMLabel``. Everything else is an error. After an error the reader continues after the
/// damaged block.
struct PEMReader {
    private let bytes: [UInt8]
    private let content: PEMLabel.Kind
    private var position = 0
    private var line = 0
    /// `true` if the remaining lines of a damaged block follow.
    private var isInDamagedBlock = false

    /// The maximum size of a block before it is parsed, in octets.
    private static let maximumBlockSize = 64 << 20

    init(_ bytes: [UInt8], content: PEMLabel.Kind = .certificate) {
        self.bytes = bytes
        self.content = content
    }

    /// Returns `true` if a file is meant as PEM: DER begins with a SEQUENCE, while PEM has a line with BEGIN or END.
    static func looksLikePEM(_ bytes: [UInt8]) -> Bool {
        guard bytes.first != 0x30 || bytes.dropFirst().first.map({ $0 < 0x7F && $0 >= 0x20 }) == true else {
            return false
        }
        guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else { return true }
        var reader = PEMReader(bytes)
        while let range = reader.nextLine() {
            switch PEMLine(bytes[range]) {
            case .boundary, .malformedBoundary: return true
            case .text, .base64, .binary: continue
            }
        }
        return false
    }

    /// Returns the DER bytes of the next block, or `nil` if there is none.
    mutating func nextBlock() throws(PEMError) -> [UInt8]? {
        self.leaveDamagedBlock()
        while let range = self.nextLine() {
            switch PEMLine(self.bytes[range]) {
            case .text: continue
            case .boundary(.begin, let label):
                if let block = try self.block(label) { return block }
            case .boundary(.end, _): throw PEMError(line: self.line, .missingBegin)
            case .malformedBoundary(let keyword): throw self.malformedBoundary(keyword)
            case .base64: throw self.damaged(.base64OutsideBlock)
            case .binary: throw self.damaged(.binaryData)
            }
        }
        return nil
    }

    /// Reads the block that begins in the current line. Returns `nil` if it is skipped.
    private mutating func block(_ label: ArraySlice<UInt8>) throws(PEMError) -> [UInt8]? {
        guard let kind = PEMLabel.kind(of: label) else {
            throw self.damaged(.unknownLabel(PEMLabel.text(of: label)))
        }
        if kind == self.content { return try self.body(label) }
        guard !kind.isRefused(amongBlocksOf: self.content) else {
            throw self.damaged(.unexpectedBlock(PEMLabel.text(of: label)))
        }
        try self.passOver(label, of: kind)
        return nil
    }

    private mutating func body(_ label: ArraySlice<UInt8>) throws(PEMError) -> [UInt8] {
        let firstLine = self.line
        var decoder = Base64Decoder(capacity: 2_048)
        while true {
            let range = try self.nextLine(ofBlockFrom: firstLine)
            // A boundary is never Base64, so most lines need no classification.
            if decoder.append(self.bytes[range]) {
                guard decoder.count <= Self.maximumBlockSize else { throw PEMError(line: firstLine, .missingEnd) }
                continue
            }
            guard try self.isEnd(range, of: label, from: firstLine) else { throw self.damaged(.invalidBase64) }
            break
        }
        guard decoder.finish() else { throw PEMError(line: self.line, .invalidBase64) }
        return decoder.output
    }

    /// Skips a block that is labeled with other contents, and throws if it holds a certificate or list.
    private mutating func passOver(_ label: ArraySlice<UInt8>, of kind: PEMLabel.Kind) throws(PEMError) {
        let firstLine = self.line
        var decoder = Base64Decoder(capacity: 2_048)
        while true {
            let range = try self.nextLine(ofBlockFrom: firstLine)
            if decoder.count <= Self.maximumBlockSize, decoder.append(self.bytes[range]) { continue }
            if try self.isEnd(range, of: label, from: firstLine) { break }
        }
        // A block with other lines, such as an encrypted key, is neither a certificate nor a list.
        guard kind == .other || kind == .publicKey, decoder.finish(), Self.isCertificateOrList(decoder.output) else {
            return
        }
        throw PEMError(line: firstLine, .mislabeledBlock(PEMLabel.text(of: label)))
    }

    private static func isCertificateOrList(_ der: [UInt8]) -> Bool {
        (try? CertificateView(der: der)) != nil || (try? CertificateList(der: der)) != nil
    }

    private mutating func nextLine(ofBlockFrom firstLine: Int) throws(PEMError) -> Range<Int> {
        guard let range = self.nextLine() else { throw PEMError(line: firstLine, .missingEnd) }
        return range
    }

    private mutating func isEnd(
        _ range: Range<Int>, of label: ArraySlice<UInt8>, from firstLine: Int
    ) throws(PEMError) -> Bool {
        switch PEMLine(self.bytes[range]) {
        case .boundary(.end, let end):
            guard end == label else { throw PEMError(line: self.line, .mismatchedEnd) }
            return true
        case .boundary(.begin, _):
            // The new block may be complete, so its first line is read again.
            self.position = range.lowerBound
            self.line = self.line - 1
            throw PEMError(line: firstLine, .missingEnd)
        case .malformedBoundary(let keyword):
            throw self.malformedBoundary(keyword)
        case .text, .base64, .binary:
            return false
        }
    }

    // MARK: Damage

    private mutating func damaged(_ fault: PEMError.Fault) -> PEMError {
        self.isInDamagedBlock = true
        return PEMError(line: self.line, fault)
    }

    /// Returns the error. After a malformed END another block may begin, while a malformed BEGIN is followed by its body.
    private mutating func malformedBoundary(_ keyword: PEMLine.Keyword) -> PEMError {
        self.isInDamagedBlock = keyword == .begin
        return PEMError(line: self.line, .malformedBoundary)
    }

    /// Skips the rest of a damaged block, so that it is reported only once.
    private mutating func leaveDamagedBlock() {
        guard self.isInDamagedBlock else { return }
        self.isInDamagedBlock = false
        while let range = self.nextLine() {
            switch PEMLine(self.bytes[range]) {
            case .text, .base64, .binary: continue
            case .boundary(.end, _), .malformedBoundary(.end): return
            case .boundary(.begin, _), .malformedBoundary(.begin):
                self.position = range.lowerBound
                self.line = self.line - 1
                return
            }
        }
    }

    // MARK: Lines

    /// Returns the range of the next line, without byte order marks at its beginning, its end, and blanks and tabs before the end.
    private mutating func nextLine() -> Range<Int>? {
        let text = self.bytes
        let bytes = text.span
        guard self.position < bytes.count else { return nil }
        var start = self.position
        var newline = start
        while newline < bytes.count, bytes[newline] != 0x0A, bytes[newline] != 0x0D { newline += 1 }
        self.position = newline + 1
        self.line += 1
        if newline + 1 < bytes.count, bytes[newline] == 0x0D, bytes[newline + 1] == 0x0A { self.position += 1 }
        var end = newline
        while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        // Concatenated files each have their own mark (U+FEFF in UTF-8).
        while end - start >= 3, bytes[start] == 0xEF, bytes[start + 1] == 0xBB, bytes[start + 2] == 0xBF { start += 3 }
        return start..<end
    }
}
