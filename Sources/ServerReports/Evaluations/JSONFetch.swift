//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// A successful or failed fetch, in JSON.
struct JSONFetch: Encodable {
    private let url: String
    private let kind: String
    private let certificateSubject: String
    private let outcome: String
    private let code: String?
    private let message: String?

    init(_ record: FetchRecord) {
        self.url = DisplayText.text(record.url)
        self.kind = record.kind.rawValue
        self.certificateSubject = record.certificate.subject
        self.outcome = record.outcome.code
        switch record.outcome {
        case .used, .cached: (self.code, self.message) = (nil, nil)
        case .unusable(let reason): (self.code, self.message) = (nil, DisplayText.text(reason))
        case .failed(let error): (self.code, self.message) = (error.code.rawValue, DisplayText.text(error.reason))
        }
    }
}
