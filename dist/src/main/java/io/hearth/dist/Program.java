package io.hearth.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The program without Java: launcher, jars, licences, completions, manual page. */
final class Program {
    private Program() {}

    /** Fills {@code tree} from the built source tree at {@code root}. */
    static Tree lay(Path root, Tree tree) throws IOException, InterruptedException {
        tree.copy(root.resolve("bin/hearth"), "bin/hearth");
        tree.makeExecutable("bin/hearth");
        tree.copy(root.resolve("bin/jvm.args"), "bin/jvm.args");
        Path lib = root.resolve("cli/target/lib");
        List<Path> jars;
        try (var all = Files.list(lib)) {
            jars = all.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
        }
        for (Path jar : jars) {
            tree.copy(jar, "lib/" + jar.getFileName());
        }
        for (String text : List.of("LICENSE", "NOTICE", "README.md", "CHANGELOG.md")) {
            tree.copy(root.resolve(text), text);
        }
        tree.copy(root.resolve("cli/target/licences.txt"), "LICENCES-OF-LIBRARIES.txt");
        tree.write("share/bash-completion/completions/hearth", hearth(tree, "completion", "bash"));
        tree.write("share/zsh/site-functions/_hearth", "#compdef hearth\n" + hearth(tree, "completion", "zsh"));
        tree.write("share/fish/vendor_completions.d/hearth.fish", hearth(tree, "completion", "fish"));
        tree.write("share/man/man1/hearth.1", hearth(tree, "man"));
        return tree;
    }

    private static String hearth(Tree tree, String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home", ""), "bin", "java").toString(),
                "-jar",
                tree.path("lib/hearth-cli.jar").toString()));
        command.addAll(List.of(arguments));
        return Packages.run(command);
    }
}
