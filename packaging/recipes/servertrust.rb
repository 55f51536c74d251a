# A formula for Homebrew, for a tap of one's own. Untested: no Homebrew was at hand; its syntax is checked by ruby.
# OWNER is the owner of the repository. From the first release on, `url` and `sha256` of its archive go before `head`.
class Servertrust < Formula
  desc "Decides whether a TLS server may be trusted, as Apple's systems do, and says why"
  homepage "https://github.com/OWNER/swift-server-trust"
  license "Apache-2.0"
  head "https://github.com/OWNER/swift-server-trust.git", branch: "main"

  uses_from_macos "swift" => :build, since: :sequoia

  def install
    system "swift", "build", "--disable-sandbox", "-c", "release", "--product", "servertrust"
    bin.install ".build/release/servertrust"
    generate_completions_from_executable(bin/"servertrust", "--generate-completion-script")
  end

  test do
    assert_match "name-mismatch", shell_output("#{bin}/servertrust explain name-mismatch")
  end
end
