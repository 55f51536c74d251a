//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The check of a path against pins. Only certificates of the path count, never others that the server sent. An
/// attacker who appends a genuine certificate to a forged chain must not satisfy the pin (RFC 7469 §2.6).
extension PathChecks {
    /// Returns the mismatches of the pins that are compared after the search, with the path that it chose.
    static func pinsAfterSearch(_ path: CandidatePath, _ request: SharedRequest) -> [Rejection] {
        var checks = PathChecks(path: path, request: request)
        for pins in request.value.purposes.flatMap(\.pins) where pins.comparison == .afterSearch { checks.check(pins) }
        return checks.rejections
    }

    mutating func check(_ requirement: PinRequirement) {
        if let anchorClass = self.path.anchor?.anchorClass, requirement.exemptAnchors.contains(anchorClass) { return }
        guard !self.hasPinned(requirement) else { return }
        let last = self.certificates.count - 1
        switch requirement.scope {
        case .leaf: self.reject(.leafKeyNotPinned, at: 0)
        case .authorities: self.reject(.authorityKeyNotPinned, at: last)
        case .path: self.reject(.pathNotPinned, at: 0)
        case .anchor: self.reject(.anchorNotPinned, at: last)
        }
    }

    private func hasPinned(_ requirement: PinRequirement) -> Bool {
        if self.certificates[self.range(of: requirement.scope)].contains(where: requirement.contains) { return true }
        // An anchor without a certificate is above the path. An anchor certificate is the last of the path.
        guard requirement.scope != .leaf, !self.path.endsWithAnchorCertificate, let key = self.path.anchor?.key
        else { return false }
        return requirement.keys.contains(PinDigest(of: key.bytes.slice(key.info.whole)))
    }

    private func range(of scope: PinRequirement.Scope) -> Range<Int> {
        let count = self.certificates.count
        return switch scope {
        case .path: 0..<count
        case .leaf: 0..<min(1, count)
        case .authorities: min(1, count)..<count
        case .anchor: (self.path.endsWithAnchorCertificate ? count - 1 : count)..<count
        }
    }
}

extension PinRequirement {
    fileprivate func contains(_ certificate: CertificateView) -> Bool {
        let key = certificate.fields.subjectPublicKeyInfo.whole
        if !self.keys.isEmpty, self.keys.contains(PinDigest(of: certificate.bytes.slice(key))) { return true }
        return !self.certificates.isEmpty && self.certificates.contains(PinDigest(of: certificate.bytes[...]))
    }
}
