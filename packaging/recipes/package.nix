# A package for Nix, from the archive of a release. Untested: no Nix was at hand.
# OWNER is the owner of the repository; `hash` is put in from SHA256SUMS of the release, until then Nix refuses it.
{
  lib,
  stdenv,
  fetchurl,
  autoPatchelfHook,
}:

stdenv.mkDerivation rec {
  pname = "servertrust";
  version = "0.2.0"; # packaging/version
  src = fetchurl {
    url = "https://github.com/OWNER/swift-server-trust/releases/download/${version}/servertrust-${version}-linux-${stdenv.hostPlatform.linuxArch}.tar.gz";
    hash = lib.fakeHash;
  };
  nativeBuildInputs = [ autoPatchelfHook ];
  installPhase = ''
    runHook preInstall
    mkdir -p $out
    cp -r bin share $out/
    runHook postInstall
  '';
  doInstallCheck = true;
  installCheckPhase = "$out/bin/servertrust --version";
  meta = {
    description = "Decides whether a TLS server may be trusted, as Apple's systems do, and says why";
    license = [
      lib.licenses.asl20
      lib.licenses.mpl20
    ];
    platforms = [
      "x86_64-linux"
      "aarch64-linux"
    ];
    mainProgram = "servertrust";
    sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];
  };
}
