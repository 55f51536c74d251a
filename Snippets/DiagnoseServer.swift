//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Asks a server what it speaks, and says what Apple's systems make of it.

import ServerDiagnosis
import ServerTrust

// snippet.diagnose
let server = try await ServerDiagnoser(trust: try .system()).diagnose("localhost:8443")
print(server.verdict)
for reason in server.reasons { print(reason.message, reason.remedy) }
for advice in server.advice { print(advice.title, advice.snippet(for: .nginx)) }
// snippet.end
