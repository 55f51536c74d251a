//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ConfigurationDocuments

/// Expo's app.json, from which Expo generates the Info.plist.
enum ExpoManifest {
    static func isManifest(_ octets: [UInt8]) -> Bool {
        guard let root = try? JSONDocument.parse(octets) else { return false }
        return self.settings(root) != nil
    }

    /// Returns the Info.plist that the file describes, or `nil` for other files.
    ///
    /// JSON with neither Expo's keys nor those of an Info.plist is an error: an app without rules must not be confused
    /// with another file.
    static func propertyList(_ path: String, _ octets: [UInt8]) -> AppPropertyList? {
        guard octets.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"), let root = try? JSONDocument.parse(octets) else {
            return nil
        }
        guard let settings = self.settings(root) else {
            return self.isPropertyList(root)
                ? nil
                : AppPropertyList(
                    path, .file,
                    result: .failure(
                        InfoPropertyListError(
                            "it has no NSAppTransportSecurity and no other key of an Info.plist. Give an app's Info.plist, or "
                                + "Expo's app.json", at: nil)))
        }
        let list = settings["ios"]?["infoPlist"]
        let note =
            list == nil
            ? "Its expo.ios has no infoPlist: the defaults hold." : "Expo makes the Info.plist of expo.ios.infoPlist."
        let result = AppPropertyList.result { () throws(InfoPropertyListError) in
            try InfoPropertyList(list ?? DocumentNode(.dictionary([]), at: nil))
        }
        return AppPropertyList(path, .project, result: result, note: note)
    }

    private static func settings(_ root: DocumentNode) -> DocumentNode? {
        if let settings = root["expo"], settings.dictionary != nil { return settings }
        return root["ios"]?["infoPlist"] != nil ? root : nil
    }

    private static func isPropertyList(_ root: DocumentNode) -> Bool {
        (root.dictionary ?? []).contains { entry in
            ["NS", "CFBundle", "UI", "LS", "ITS", "MinimumOSVersion"].contains(where: entry.key.hasPrefix)
        }
    }
}
