package io.hearth.cli.doctor;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.agent.HearthConfig;
import io.hearth.agent.ListenOptions;
import io.hearth.agent.settings.Setting;
import io.hearth.agent.settings.Settings;
import io.hearth.cli.option.InterfaceOptions;
import io.hearth.cli.terminal.Durations;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.UntilSignal;
import io.hearth.cli.terminal.Usage;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.discovery.HostPort;
import io.hearth.discovery.mdns.InterfaceMonitor;
import io.hearth.discovery.mdns.InterfacePolicy;
import io.hearth.discovery.mdns.InterfaceState;
import io.hearth.discovery.mdns.MulticastProbe;
import io.hearth.identity.HearthHome;
import io.hearth.topology.local.Tool;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hearth doctor}: checks everything that training with other machines needs. */
@Command(
        name = "doctor",
        description = {
            "Check all that training with other machines needs, in order, with a remedy for each problem.",
            "The exit code is 0 only if there is no problem. Without a running agent, the command is a node itself for some"
                    + " seconds."
        })
public final class DoctorCommand implements Callable<Integer> {
    private static final Duration LISTEN = Duration.ofMillis(1_500);
    private static final Duration PEERS_MAX = Duration.ofSeconds(6);

    private final Terminal terminal;
    private final boolean isMac =
            System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("mac");
    private final List<Finding> findings = new ArrayList<>();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Mixin
    private final InterfaceOptions interfaces = new InterfaceOptions();

    @Option(
            names = "--peer",
            paramLabel = "HOST[:PORT]",
            description = "Also test the way to that machine in both directions: name, port, admission, latency, rate.")
    private @Nullable String peer;

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "With --peer: how long to wait until the other machine measures too (default: 20s).")
    private Duration rateWait = Duration.ofSeconds(20);

    @Option(names = "--json", description = "Print one line of JSON: schema, ok, findings[].")
    private boolean json;

    public DoctorCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        Optional<HostPort> other =
                Usage.checked(command, () -> Optional.ofNullable(peer).map(HostPort::parse));
        long beganMillis = System.currentTimeMillis();
        long beganNanos = System.nanoTime();
        try {
            check(other);
        } catch (SetupException broken) {
            add(Finding.problem("start", broken));
        }
        long drift = System.currentTimeMillis() - beganMillis - (System.nanoTime() - beganNanos) / 1_000_000;
        add(MachineChecks.clock(drift, isClockSet()));
        long problems = findings.stream()
                .filter(found -> found.level() == Finding.Level.PROBLEM)
                .count();
        if (json) {
            terminal.print(json(problems == 0));
        } else {
            terminal.out().println();
            terminal.out()
                    .println(problems == 0 ? "all is well" : problems + (problems == 1 ? " problem" : " problems"));
        }
        return problems == 0 ? Exit.OK : Exit.FAILED;
    }

    private void check(Optional<HostPort> other) throws HearthException, InterruptedException {
        add(MachineChecks.java());
        HearthHome home = HearthHome.open(terminal.environment());
        add(MachineChecks.home(home));
        add(MachineChecks.identity(home));
        add(MachineChecks.settings(home, terminal.environment()));
        add(MachineChecks.disk(home));
        MachineChecks.engines(terminal.environment()).forEach(this::add);
        HearthConfig config = interfaces
                .applyTo(HearthConfig.defaults())
                .peers(other.map(host -> List.of(host.toString())).orElse(List.of()))
                .completed(Settings.read(home, terminal.environment()));
        ListenOptions.checkInterfaces(config);
        boolean isPortChosen = Settings.read(home, terminal.environment())
                .chosen(Setting.LISTEN_PORT)
                .isPresent();
        network(ListenOptions.interfaces(config));
        NodeView opened;
        try {
            opened = NodeView.open(home, config, terminal.environment());
        } catch (HearthException broken) {
            add(Finding.problem("node", broken));
            return;
        }
        try (var _ = new UntilSignal();
                NodeView node = opened) {
            int port = port(node, isPortChosen, config);
            NetworkChecks.firewall(
                            Tool.output("ufw", "status"),
                            Tool.output("firewall-cmd", "--state"),
                            isMac
                                    ? Tool.output("/usr/libexec/ApplicationFirewall/socketfilterfw", "--getglobalstate")
                                    : "",
                            port)
                    .forEach(this::add);
            JsonObject status = node.await(seen -> seen.get("other_machines").getAsInt() > 0, PEERS_MAX);
            ClusterChecks.mdns(status).forEach(this::add);
            ClusterChecks.peers(status).forEach(this::add);
            if (other.isPresent()) {
                var rates = new RateCheck(config, terminal.environment(), terminal.err(), rateWait);
                new PeerCheck(other.get(), isMac, rates).run(node).forEach(this::add);
            }
        }
    }

    private int port(NodeView node, boolean isChosen, HearthConfig config) throws HearthException {
        if (node.isAgent()) {
            int port = node.status().get("port").getAsInt();
            add(NetworkChecks.agentPort(port, isChosen));
            return port;
        }
        add(Finding.note(
                "agent", "no agent runs on this machine", "'hearth agent' runs one, 'hearth install' for good"));
        int port = config.agent("agent").port().orElse(HostPort.PORT_DEFAULT);
        add(NetworkChecks.port(port));
        return port;
    }

    private void network(InterfacePolicy policy) throws SetupException, InterruptedException {
        List<InterfaceState> all;
        try {
            all = InterfaceMonitor.thisMachine().stream()
                    .sorted(Comparator.comparing(InterfaceState::name))
                    .toList();
        } catch (SocketException unreadable) {
            throw new SetupException(
                    "the network interfaces cannot be listed: " + unreadable.getMessage() + "; start this again",
                    unreadable);
        }
        NetworkChecks.interfaces(all, policy).forEach(this::add);
        var probes = new ArrayList<Future<Finding>>();
        all.stream().filter(state -> policy.objection(state).isEmpty()).forEach(state -> {
            var probe =
                    new FutureTask<>(() -> NetworkChecks.multicast(state, MulticastProbe.run(state, LISTEN), isMac));
            Thread.ofVirtual().name("hearth-probe").start(probe);
            probes.add(probe);
        });
        for (Future<Finding> probe : probes) {
            try {
                add(probe.get());
            } catch (ExecutionException bug) {
                throw new IllegalStateException(bug.getCause());
            }
        }
        NetworkChecks.multicastRoute(
                        isMac
                                ? Tool.output("route", "-n", "get", "224.0.0.251")
                                : Tool.output("ip", "route", "get", "224.0.0.251"),
                        all,
                        InterfacePolicy.DEFAULT)
                .ifPresent(this::add);
        MachineChecks.avahi(Path.of("/etc/avahi/avahi-daemon.conf")).ifPresent(this::add);
        if (isMac) {
            add(Finding.ok("started by", parents()));
        }
    }

    /** The programs above this one: macOS gives the right to the local network to the first of them. */
    private static String parents() {
        var names = new ArrayList<String>();
        Optional<ProcessHandle> parent = ProcessHandle.current().parent();
        while (parent.isPresent() && names.size() < 10) {
            names.add(parent.get()
                    .info()
                    .command()
                    .map(path -> Path.of(path).getFileName())
                    .map(Path::toString)
                    .orElse(parent.get().pid() == 1 ? "launchd" : "?"));
            parent = parent.get().parent();
        }
        return String.join(" < ", names);
    }

    private static Optional<Boolean> isClockSet() {
        String answer = Tool.output("timedatectl", "show", "-p", "NTPSynchronized", "--value")
                .strip();
        return answer.equals("yes") || answer.equals("no") ? Optional.of(answer.equals("yes")) : Optional.empty();
    }

    private void add(Finding found) {
        findings.add(found);
        if (json) {
            return;
        }
        String mark = switch (found.level()) {
            case OK -> "ok     ";
            case NOTE -> "note   ";
            case PROBLEM -> "PROBLEM";
        };
        terminal.out().printf(Locale.ROOT, "%s  %-10s  %s%n", mark, found.check(), found.text());
        if (!found.remedy().isEmpty()) {
            terminal.out().printf(Locale.ROOT, "%s  %s%n", " ".repeat(mark.length() + 12), "-> " + found.remedy());
        }
    }

    private JsonObject json(boolean ok) {
        var data = new JsonObject();
        data.addProperty("schema", 1);
        data.addProperty("ok", ok);
        var all = new JsonArray();
        for (Finding found : findings) {
            var one = new JsonObject();
            one.addProperty("check", found.check());
            one.addProperty("level", found.level().name().toLowerCase(Locale.ROOT));
            one.addProperty("text", found.text());
            if (!found.remedy().isEmpty()) {
                one.addProperty("remedy", found.remedy());
            }
            all.add(one);
        }
        data.add("findings", all);
        return data;
    }
}
