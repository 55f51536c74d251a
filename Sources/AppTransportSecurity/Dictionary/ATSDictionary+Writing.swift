//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ConfigurationDocuments

extension ATSDictionary {
    /// An Info.plist in XML with only this dictionary.
    public var propertyList: String { PropertyListText.text(of: .named([(ATSKey.section, self.node)])) }

    /// The lines to insert into an Info.plist: the key and the dictionary in XML.
    public var propertyListFragment: String {
        "<key>\(ATSKey.section)</key>\n" + PropertyListText.fragment(of: self.node)
    }

    /// Adds exceptions to an Info.plist. Its order, its comments and its other keys stay.
    ///
    /// - Parameters:
    ///   - exceptions: The exceptions. An exception replaces the rules of the entry for its host.
    ///   - propertyList: The Info.plist in XML, binary or JSON. The result is XML.
    /// - Throws: `DocumentError` if the file is no property list, or holds no dictionary.
    package static func adding(
        _ exceptions: [ATSExceptionDomain], to propertyList: [UInt8]
    ) throws(DocumentError) -> String {
        var editor = try PropertyListEditor(propertyList)
        let section = [ATSKey.section, ATSKey.exceptionDomains.rawValue]
        let present = Set(editor.keys(at: section) ?? [])
        try editor.append(
            exceptions.filter { !present.contains($0.name) }.map { ($0.name, $0.node) }, at: section)
        for exception in exceptions where present.contains(exception.name) {
            let path = section + [exception.name]
            guard let keys = editor.keys(at: path) else {
                try editor.set(exception.node, at: path)
                continue
            }
            let rules = exception.node.dictionary ?? []
            for key in keys where ATSKey.ofTransport.contains(key) && !rules.contains(where: { $0.key == key }) {
                try editor.remove(at: path + [key])
            }
            for rule in rules { try editor.set(rule.value, at: path + [rule.key]) }
        }
        // A file that could not be read again would lose the app its settings.
        _ = try PropertyListDocument.parse(Array(editor.text.utf8))
        return editor.text
    }

    /// The dictionary in the form of `NSDictionary`'s description, which `nscurl --verbose` prints.
    ///
    /// The keys are sorted. Before a value that is a dictionary or an array there are as many spaces as it is indented.
    public var objectiveCDescription: String { ObjectiveCText.text(of: self.node) }

    /// The keys with values, in the order of ``ATSKey``, without those that were not understood.
    package var node: DocumentNode {
        .keyed([
            (.allowsArbitraryLoads, self.allowsArbitraryLoads?.value.node),
            (.allowsArbitraryLoadsForMedia, self.allowsArbitraryLoadsForMedia?.value.node),
            (.allowsArbitraryLoadsInWebContent, self.allowsArbitraryLoadsInWebContent?.value.node),
            (.allowsLocalNetworking, self.allowsLocalNetworking?.value.node),
            (.requiresNIAPTLSPackageVersion, self.requiresNIAPTLSPackageVersion.map { .text($0.value) }),
            (
                .exceptionDomains,
                self.exceptionDomains.isEmpty ? nil : .named(self.exceptionDomains.map { ($0.name, $0.node) })
            ),
            (.pinnedDomains, self.pinnedDomains.isEmpty ? nil : .named(self.pinnedDomains.map { ($0.name, $0.node) })),
        ])
    }
}

extension ATSKey {
    /// The keys of an exception that decide about a connection. Without one of them its default applies.
    fileprivate static let ofTransport: Set<String> = Set(
        [
            ATSKey.exceptionAllowsInsecureHTTPLoads, .exceptionMinimumTLSVersion, .exceptionRequiresForwardSecrecy,
            .exceptionRequiresNIAPTLSPackageVersion,
        ].map(\.rawValue))
}

extension ATSExceptionDomain {
    fileprivate var node: DocumentNode {
        .keyed([
            (.includesSubdomains, self.includesSubdomains?.value.node),
            (.exceptionAllowsInsecureHTTPLoads, self.allowsInsecureHTTPLoads?.value.node),
            (.exceptionMinimumTLSVersion, self.minimumTLSVersion.map { .text($0.value) }),
            (.exceptionRequiresForwardSecrecy, self.requiresForwardSecrecy?.value.node),
            (.exceptionRequiresNIAPTLSPackageVersion, self.requiresNIAPTLSPackageVersion.map { .text($0.value) }),
            (.requiresCertificateTransparency, self.requiresCertificateTransparency?.value.node),
        ])
    }
}

extension ATSPinnedDomain {
    fileprivate var node: DocumentNode {
        .keyed([
            (.includesSubdomains, self.includesSubdomains?.value.node),
            (.pinnedCAIdentities, self.authorityIdentities.map(Self.node)),
            (.pinnedLeafIdentities, self.leafIdentities.map(Self.node)),
        ])
    }

    private static func node(_ identities: ATSEntry<[Identity]>) -> DocumentNode {
        .list(identities.value.map { .keyed([(.spkiSHA256, .text($0.value))]) })
    }
}

extension ATSFlag {
    fileprivate var node: DocumentNode {
        switch self {
        case .boolean(let boolean): .flag(boolean)
        case .number(let number): DocumentNode(.real(number), at: nil)
        }
    }
}

extension DocumentNode {
    fileprivate static func keyed(_ entries: [(ATSKey, DocumentNode?)]) -> DocumentNode {
        .named(entries.compactMap { key, node in node.map { (key.rawValue, $0) } })
    }
}

/// The text of `-[NSDictionary description]` for the values of this dictionary.
private enum ObjectiveCText {
    static func text(of node: DocumentNode, indentation: String = "") -> String {
        let deeper = indentation + "    "
        switch node.value {
        case .dictionary(let entries):
            let lines = entries.sorted { $0.key < $1.key }.map { entry in
                let gap = entry.value.dictionary == nil && entry.value.array == nil ? " " : " " + deeper
                return "\(deeper)\(Self.quoted(entry.key)) =\(gap)\(Self.text(of: entry.value, indentation: deeper));\n"
            }
            return "{\n\(lines.joined())\(indentation)}"
        case .array(let nodes):
            let lines = nodes.map { deeper + Self.text(of: $0, indentation: deeper) }
            return "(\n\(lines.joined(separator: ",\n"))\n\(indentation))"
        case .boolean(let boolean): return "\(boolean)"
        case .real(let real): return "\"\(real)\""
        default: return Self.quoted(node.string ?? "")
        }
    }

    /// Quotes all text except words of letters and digits.
    private static func quoted(_ text: String) -> String {
        let isWord = text.utf8.allSatisfy { $0.isDigit || (0x41...0x5A).contains($0 & 0xDF) }
        guard text.isEmpty || !isWord else { return text }
        var quoted = ""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted += scalar.value < 0x20 ? "\\U00" + String(scalar.value + 0x100, radix: 16).dropFirst() : "\(scalar)"
        }
        return "\"\(quoted)\""
    }
}
