package io.hearth.dist;

/** The formula of Homebrew: the archive without Java, with Homebrew's own Java. */
final class Formula {
    private Formula() {}

    static String of(String version, String sha256) {
        return """
                class Hearth < Formula
                  desc "Zero-configuration home cluster that makes the computers of one LAN train together"
                  homepage "https://github.com/hearth-authors/hearth"
                  url "https://github.com/hearth-authors/hearth/releases/download/v%s/hearth-%s.tar.gz"
                  sha256 "%s"
                  license "Apache-2.0"

                  depends_on "openjdk"

                  def install
                    libexec.install "bin", "lib"
                    (bin/"hearth").write_env_script libexec/"bin/hearth", JAVA_HOME: Formula["openjdk"].opt_prefix
                    bash_completion.install "share/bash-completion/completions/hearth"
                    zsh_completion.install "share/zsh/site-functions/_hearth"
                    fish_completion.install "share/fish/vendor_completions.d/hearth.fish"
                    man1.install "share/man/man1/hearth.1"
                    doc.install "README.md", "CHANGELOG.md", "NOTICE", "LICENCES-OF-LIBRARIES.txt"
                  end

                  def caveats
                    <<~EOS
                      The agent starts with this machine after: sudo hearth install
                    EOS
                  end

                  test do
                    system bin/"hearth", "version"
                  end
                end
                """.formatted(version, version, sha256);
    }
}
