package io.hearth.cli;

import com.google.gson.JsonObject;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.Version;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;

/** {@code hearth version}: prints the installed versions, for bug reports. */
@Command(name = "version", description = "Print the versions of Hearth, Java and the operating system.")
final class VersionCommand implements Callable<Integer>, IVersionProvider {
    private final Terminal terminal;

    @Option(names = "--json", description = "Print one line of JSON: schema, version, java, os.")
    private boolean json;

    VersionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** For {@code hearth --version}. */
    VersionCommand() {
        this(Terminal.system());
    }

    @Override
    public Integer call() {
        if (json) {
            var data = new JsonObject();
            data.addProperty("schema", 1);
            data.addProperty("version", Version.hearth());
            data.addProperty("java", Runtime.version().toString());
            data.addProperty("os", Version.system());
            terminal.print(data);
        } else {
            terminal.out().println(Version.line());
        }
        return Exit.OK;
    }

    @Override
    public String[] getVersion() {
        return new String[] {Version.line()};
    }
}
