package io.hearth.cli;

import io.hearth.agent.HearthConfig;
import io.hearth.discovery.HostPort;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What every command that starts a node takes: the namespace, and how to reach others. */
final class NetworkOptions {
    @Spec(Spec.Target.MIXEE)
    private @org.jspecify.annotations.Nullable CommandSpec command;

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            converter = NamespaceName.class,
            description = "The namespace to take part in (default: the only one that this machine knows).")
    private String namespace = "";

    @Option(
            names = "--open",
            description = "Take part in the open namespace of that name: everybody on the LAN may join and read.")
    private boolean open;

    @Option(names = "--interface", paramLabel = "IF", description = "Exactly this network interface; may be repeated.")
    private List<String> interfaces = new ArrayList<>();

    @Option(names = "--exclude-interface", paramLabel = "IF", description = "Not this one; may be repeated.")
    private List<String> excluded = new ArrayList<>();

    @Option(
            names = "--peer",
            paramLabel = "HOST[:PORT]",
            description = "Try this address besides mDNS; one side is enough; may be repeated.")
    private List<String> peers = new ArrayList<>();

    /** The configuration with these options in it. */
    HearthConfig applyTo(HearthConfig config) {
        return checked(() -> {
            peers.forEach(HostPort::parse);
            HearthConfig changed = config.open(open)
                    .interfaces(interfaces)
                    .excludedInterfaces(excluded)
                    .peers(peers);
            return namespace.isEmpty() ? changed : changed.namespace(namespace);
        });
    }

    /** What {@code options} makes of the command line; what it refuses is wrong usage. */
    <T> T checked(Supplier<T> options) {
        try {
            return options.get();
        } catch (IllegalArgumentException wrong) {
            if (command == null) {
                throw wrong;
            }
            throw new ParameterException(command.commandLine(), String.valueOf(wrong.getMessage()), wrong);
        }
    }
}
