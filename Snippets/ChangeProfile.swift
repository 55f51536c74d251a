// Start from Apple's rules and lift one: an internal authority that issues for ten years.

import ServerTrust

func allowLongLifetimes(_ trust: inout Trust) {
    // snippet.show
    var profile = ValidationProfile.apple
    profile.serverLifetimeLimits = []
    trust.profile = profile
    // snippet.hide
}
