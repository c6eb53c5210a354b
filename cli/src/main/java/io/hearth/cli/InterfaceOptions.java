package io.hearth.cli;

import io.hearth.agent.HearthConfig;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Which network interfaces a command uses that starts no node. */
final class InterfaceOptions {
    @Option(names = "--interface", paramLabel = "IF", description = "Exactly this network interface; may be repeated.")
    private List<String> interfaces = new ArrayList<>();

    @Option(names = "--exclude-interface", paramLabel = "IF", description = "Not this one; may be repeated.")
    private List<String> excluded = new ArrayList<>();

    /** The configuration with these options in it. */
    HearthConfig applyTo(HearthConfig config) {
        return config.interfaces(interfaces).excludedInterfaces(excluded);
    }
}
