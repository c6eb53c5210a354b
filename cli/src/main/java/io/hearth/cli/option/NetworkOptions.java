package io.hearth.cli.option;

import io.hearth.agent.HearthConfig;
import io.hearth.cli.terminal.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of the commands that start a node: its namespace, its network interfaces and addresses of peers. */
public final class NetworkOptions {
    private static final Set<String> NAMES =
            Set.of("--namespace", "--open", "--peer", "--interface", "--exclude-interface");

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Mixin
    private final InterfaceOptions interfaces = new InterfaceOptions();

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            converter = Converters.NamespaceName.class,
            description = "Namespace of the node (default: the only one that this machine has).")
    private String namespace = "";

    @Option(
            names = "--open",
            description =
                    "Use the open namespace of that name: every machine of the LAN may join it and read its data.")
    private boolean open;

    @Option(
            names = "--peer",
            paramLabel = "PEER",
            description = "Also connect to HOST[:PORT], or to all addresses of dns:NAME[:PORT], srv:NAME or"
                    + " k8s:SERVICE[.NAMESPACE][:PORT]. One side is enough. Repeatable.")
    private List<String> peers = new ArrayList<>();

    /** Returns {@code config} with these options. */
    public HearthConfig applyTo(HearthConfig config) {
        return checked(() -> {
            HearthConfig changed = interfaces.applyTo(config.open(open).peers(peers));
            return namespace.isEmpty() ? changed : changed.namespace(namespace);
        });
    }

    /**
     * Checks that the command line has none of these options.
     *
     * @param why they would do nothing
     * @throws picocli.CommandLine.ParameterException it has one
     */
    public void requireNone(String why) {
        command.commandLine().getParseResult().matchedOptions().stream()
                .filter(option -> NAMES.contains(option.longestName()))
                .findFirst()
                .ifPresent(option -> {
                    throw Usage.mistake(
                            command,
                            option.longestName() + " does nothing: " + why + "; leave it out, or stop the agent");
                });
    }

    /** Reads options; see {@link Usage#checked}. */
    public <T> T checked(Supplier<T> options) {
        return Usage.checked(command, options::get);
    }
}
