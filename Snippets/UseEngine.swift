// The engine by itself: everything it needs is an argument.

import CertificatePath

func judge(leafBytes: [UInt8], rootBytes: [UInt8]) throws -> Verdict {
    // snippet.show
    let leaf = try CertificateView(der: leafBytes)
    let anchors = TrustAnchorSet([TrustAnchor(try CertificateView(der: rootBytes))])
    let request = ValidationRequest(
        time: Timestamp(secondsSinceEpoch: 1_780_272_000),
        purposes: [PurposeRequirement(.server, identities: [IdentityRequirement(host: "example.com")])],
        profile: .apple
    )
    let verdict = PathValidator(request, anchors: [anchors]).validate(leaf, intermediates: [])
    // snippet.hide
    return verdict
}
