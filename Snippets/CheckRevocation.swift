// Refuse what an authority's list or a stapled OCSP response shows to be revoked.

import ServerTrust

func requireStatus(_ trust: inout Trust, lists: [UInt8], staple: [UInt8]) throws {
    // snippet.show
    trust.revocation = RevocationPolicy(
        .hard,  // .soft refuses only what is shown to be revoked
        lists: try CertificateList.lists(in: lists),
        stapledResponses: [try OCSPResponse.response(in: staple)]
    )
    trust.revocation.enforcesTLSFeature = true  // must-staple is kept (RFC 7633)
    // snippet.hide
}
