package io.hearth.cli.option;

import io.hearth.agent.HearthConfig;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Options that choose the network interfaces of a command. */
public final class InterfaceOptions {
    @Option(names = "--interface", paramLabel = "IF", description = "Use only this network interface. Repeatable.")
    private List<String> interfaces = new ArrayList<>();

    @Option(
            names = "--exclude-interface",
            paramLabel = "IF",
            description = "Do not use this network interface. Repeatable.")
    private List<String> excluded = new ArrayList<>();

    /** Returns {@code config} with these options. */
    public HearthConfig applyTo(HearthConfig config) {
        return config.interfaces(interfaces).excludedInterfaces(excluded);
    }
}
