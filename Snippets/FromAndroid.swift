// What ComingFromAndroid.md shows.
import PinningDialects
import ServerTrust

func read(_ bytes: [UInt8], _ certificates: [String: [Certificate]]) throws -> ServerTrustManager? {
    // snippet.read
    var reader = PinningReader(.android)
    reader.certificates = { name in certificates[name] }  // @raw/our_ca
    let reading = reader.read(bytes)
    let manager = try reading.configuration?.manager()
    // snippet.end
    return manager
}
