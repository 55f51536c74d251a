//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// The checks of a key that is an address or a block of addresses.
struct AddressLint {
    private let name: String
    private let path: [String]
    private let position: TextPosition?
    private let strictness: ATSStrictness

    init(_ name: String, _ path: [String], at position: TextPosition?, strictness: ATSStrictness) {
        self.name = name
        self.path = path
        self.position = position
        self.strictness = strictness
    }

    /// Returns `true` if a key means a block of addresses, and not a URL with a path.
    static func isBlock(_ name: String) -> Bool {
        guard let slash = name.utf8.firstIndex(of: UInt8(ascii: "/")), name.utf8.count <= 64 else { return false }
        let (front, length) = (name[..<slash], name[name.index(after: slash)...])
        let isBracketed = front.first == "[" && front.last == "]"
        let address = isBracketed ? front.dropFirst().dropLast() : front
        guard !address.isEmpty, !length.contains("/") else { return false }
        if address.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }) { return true }
        let isHexadecimal = address.utf8.allSatisfy {
            $0.isHexadecimalDigit || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
        }
        let isZoned = address.contains("%") && address.contains(":")
        return isZoned || isHexadecimal && (address.contains(":") || length.utf8.allSatisfy(\.isDigit))
    }

    func report(to log: inout LintLog) {
        if Self.isBlock(self.name) { return self.block(&log) }
        guard let address = IPAddress(self.name), self.name != address.description else { return }
        // Addresses compared as numbers may have any spelling, but no brackets.
        guard self.strictness == .engine || self.name.contains("[") else { return }
        self.add(
            .addressSpelling, "\(self.name.quoted) is compared as text, and is not how the address is usually written.",
            remedy: "Write \(address).", into: &log, replacement: "\(address)")
    }

    private func block(_ log: inout LintLog) {
        let documented = AddressBlock(documented: self.name)
        let engine = AddressBlock(engine: self.name)
        guard let inForce = self.strictness == .engine ? engine : documented else {
            return self.refused(documented ?? engine, &log)
        }
        if engine != nil, self.hasOctalLength {
            let read = engine?.prefixLength == 0 ? "every address" : "/\(inForce.prefixLength)"
            self.add(
                .misreadAddressBlock, "\(self.name.quoted) has a zero in front of its length and is read as \(read).",
                remedy: "Write \(self.intended?.text ?? Self.example).", into: &log, replacement: self.intended?.text)
            return
        }
        if documented == nil || engine == nil { self.disputed(documented == nil ? inForce : nil, &log) }
        self.breadth(of: inForce, &log)
    }

    /// - Parameter block: The block if the documentation does not allow its text, or `nil` if the engine refuses it.
    private func disputed(_ block: AddressBlock?, _ log: inout LintLog) {
        let other = block == nil ? "Apple's engine of 2025" : "The documentation"
        self.add(
            .disputedAddressBlock, "\(other) does not understand \(self.name.quoted).",
            remedy: block.map { "Write \($0.text)." } ?? Self.shorterText, into: &log, replacement: block?.text)
    }

    private static let shorterText =
        "List the addresses one by one, or write a block with fewer bits and a shorter text."

    private func refused(_ other: AddressBlock?, _ log: inout LintLog) {
        let isEngine = self.strictness == .engine
        // The engine's reading of a length such as 08 differs from the intended one.
        let meant = self.hasOctalLength ? self.intended : other ?? self.unbracketed
        let isRefusal = isEngine && other != nil
        self.add(
            .invalidAddressBlock,
            "\(self.name.quoted) is no block of addresses to \(isEngine ? "Apple's engine" : "the documentation")"
                + "\(isRefusal ? ": \(self.refusal)" : "").",
            remedy: isRefusal ? Self.shorterText : "Write \(meant?.text ?? Self.example).", into: &log,
            replacement: isRefusal ? nil : meant?.text)
    }

    /// The reason that the engine refuses a documented form.
    private var refusal: String {
        self.name.contains(":") && self.name.contains(".")
            ? "it takes no IPv4 address within one of IPv6" : "the text in front of the slash is too long for it"
    }

    private static let example = "an address and a number of bits, such as 10.0.0.0/8"

    private func breadth(of block: AddressBlock, _ log: inout LintLog) {
        if block.prefixLength == 0 {
            let family = block.isIPv6 ? "IPv6" : "IPv4"
            self.add(
                .everyAddress, "\(self.name.quoted) is every address of \(family).",
                remedy: "Write the length of the network that is meant.", into: &log)
        } else if let slash = self.name.firstIndex(of: "/"),
            let address = IPAddress(String(self.name[..<slash])), address.octets != block.octets
        {
            self.add(
                .addressBlockHostBits, "\(self.name.quoted) is the whole of \(block.text).",
                remedy: "Write \(block.text).",
                into: &log,
                replacement: block.text)
        }
    }

    private var hasOctalLength: Bool {
        let length = self.name.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        return length.first == "0" && length.utf8.count > 1
    }

    private var intended: AddressBlock? {
        let parts = self.name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let digits = parts[1].drop { $0 == "0" }
        return AddressBlock(engine: "\(Self.unbracketed(parts[0]))/\(digits.isEmpty ? "0" : digits)")
    }

    /// The block without brackets, which do not belong to an address.
    private var unbracketed: AddressBlock? {
        let text = Self.unbracketed(self.name[...])
        return AddressBlock(documented: text) ?? AddressBlock(engine: text)
    }

    private static func unbracketed(_ text: Substring) -> String { text.filter { $0 != "[" && $0 != "]" } }

    private func add(
        _ rule: ATSRule, _ message: String, remedy: String, into log: inout LintLog, replacement: String? = nil
    ) {
        log.add(rule, path: self.path, at: self.position, message: message, remedy: remedy, replacement: replacement)
    }
}

extension AddressBlock {
    var text: String {
        let address = IPAddress(octets: self.octets).map { "\($0)" } ?? ""
        return "\(address)/\(self.prefixLength)"
    }
}

/// The check for several entries with the same addresses.
struct AddressListLint {
    private let domains: [ATSExceptionDomain]
    private let linter: ATSLinter

    init(_ dictionary: ATSDictionary, _ linter: ATSLinter) {
        self.domains = linter.system.readsAddressExceptions ? dictionary.exceptionDomains : []
        self.linter = linter
    }

    func report(to log: inout LintLog) {
        var seen: [AddressBlock: String] = [:]
        for domain in self.domains where AddressLint.isBlock(domain.name) {
            let block =
                self.linter.strictness == .engine
                ? AddressBlock(engine: domain.name) : AddressBlock(documented: domain.name)
            guard let block, let first = seen.updateValue(domain.name, forKey: block) else { continue }
            log.add(
                .duplicateAddressBlock, path: [ATSKey.section, ATSKey.exceptionDomains.rawValue, domain.name],
                at: domain.position,
                message:
                    "\(domain.name.quoted) and \(first.quoted) are the same addresses, and which of them counts is not "
                    + "defined.",
                remedy: "Remove one of them.")
        }
    }
}
