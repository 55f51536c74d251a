//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A reader for the value of a `WWW-Authenticate` field.
///
/// Commas separate challenges as well as the parameters of a challenge. Only the text after a token distinguishes them (RFC 9110
/// §11.6.1). Each octet is examined a bounded number of times. After a malformed element, reading continues after the next comma
/// that is not part of a quoted string.
struct ChallengeReader {
    static let maximumOctets = 65_536
    static let maximumChallenges = 32

    private var text: FieldText
    private var challenges: [HTTPChallenge] = []
    private var draft: Draft?

    /// A challenge to which further parameters may be added.
    private struct Draft {
        let scheme: String
        var token68: String?
        var parameters: [HTTPChallenge.Parameter] = []
        var isWellFormed = true
    }

    /// Returns the well-formed challenges of one field.
    ///
    /// - Parameter value: The octets of the field.
    static func challenges(in value: [UInt8]) -> [HTTPChallenge] {
        var reader = ChallengeReader(text: FieldText(value))
        while reader.challenges.count < Self.maximumChallenges, reader.readElement() {}
        reader.finishDraft()
        return reader.challenges
    }

    private init(text: FieldText) { self.text = text }

    /// Reads up to the next comma.
    ///
    /// - Returns: `false` at the end of the field.
    private mutating func readElement() -> Bool {
        self.text.skipCommas()
        guard !self.text.isAtEnd else { return false }
        let isWellFormed = self.readParameterOrScheme()
        self.text.skipBlanks()
        if !isWellFormed || !self.text.isAtEndOfElement {
            self.draft?.isWellFormed = false
            self.text.skipElement()
        }
        return true
    }

    private mutating func readParameterOrScheme() -> Bool {
        guard let parameter = self.text.parameter() else { return self.readScheme() }
        return self.add(parameter)
    }

    private mutating func readScheme() -> Bool {
        guard let scheme = self.text.token() else { return false }
        self.finishDraft()
        self.draft = Draft(scheme: scheme)
        guard self.text.skipBlanks() else { return self.text.isAtEndOfElement }
        if let token68 = self.text.token68() {
            self.draft?.token68 = token68
            return true
        }
        guard !self.text.isAtEndOfElement else { return true }
        guard let parameter = self.text.parameter() else { return false }
        return self.add(parameter)
    }

    private mutating func add(_ parameter: FieldText.Parameter) -> Bool {
        // A parameter before the first scheme belongs to no challenge.
        guard let draft = self.draft, let octets = parameter.octets, draft.token68 == nil else { return false }
        guard !draft.parameters.contains(where: { $0.name == parameter.name }),
            draft.parameters.count < FieldText.maximumParameters
        else { return false }
        self.draft?.parameters.append(HTTPChallenge.Parameter(name: parameter.name, octets: octets))
        return true
    }

    private mutating func finishDraft() {
        guard let draft = self.draft else { return }
        self.draft = nil
        guard draft.isWellFormed else { return }
        self.challenges.append(
            HTTPChallenge(scheme: draft.scheme, token68: draft.token68, parameters: draft.parameters))
    }
}
