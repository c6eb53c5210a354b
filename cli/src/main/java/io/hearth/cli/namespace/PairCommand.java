package io.hearth.cli.namespace;

import com.google.gson.JsonObject;
import io.hearth.agent.HearthConfig;
import io.hearth.agent.pairing.SponsorSession;
import io.hearth.agent.settings.Settings;
import io.hearth.cli.option.Converters;
import io.hearth.cli.option.InterfaceOptions;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.UntilSignal;
import io.hearth.cli.terminal.Usage;
import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.discovery.HostPort;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceLookup;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.pairing.NamespaceSponsor;
import io.hearth.identity.pairing.PairingCodes;
import io.hearth.identity.pairing.machine.PairingCode;
import io.hearth.identity.pairing.machine.PairingLimits;
import io.hearth.identity.pairing.machine.SponsorMachine.Effect;
import io.hearth.identity.pairing.machine.SponsorMachine.Outcome;
import io.hearth.topology.local.LocalProfile;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hearth pair}: shows a code with which one more machine can join the namespace. */
@Command(
        name = "pair",
        description = {
            "Show a code for one new machine, and wait until the new machine has joined with 'hearth join CODE'.",
            "The code is valid for 5 minutes, one machine and three tries. This works without an agent."
        })
public final class PairCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Mixin
    private InterfaceOptions interfaces = new InterfaceOptions();

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            converter = Converters.NamespaceName.class,
            description = "Namespace for the new machine (default: the only one that this machine has).")
    private String namespace = "";

    @Option(
            names = "--port",
            paramLabel = "P",
            description = "Port to listen on (default: 52400, or the next free one).")
    private Optional<Integer> port = Optional.empty();

    @Option(
            names = "--json",
            description = "Print JSON lines: schema, event (code, failed, paired, ended) and the fields of the event.")
    private boolean json;

    public PairCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws SetupException {
        HearthConfig own = config();
        HearthHome home = HearthHome.open(terminal.environment());
        HearthConfig config = own.completed(Settings.read(home, terminal.environment()));
        var lookup = new NamespaceLookup(home, terminal.environment());
        NetworkNamespace found = NamespaceChoice.find(lookup, namespace, home, terminal.environment());
        lookup.warning().ifPresent(terminal::error);
        var sponsor = new NamespaceSponsor(home, found, config.label().orElseGet(LocalProfile::label), Clock.system());
        sponsor.requireReady().ifPresent(terminal::error);
        PairingCode code = PairingCodes.fresh(new SecureRandom());
        try (var _ = new UntilSignal();
                SponsorSession session =
                        SponsorSession.open(config, home, code, sponsor, PairingLimits.DEFAULT, Clock.system())) {
            show(code, session.port());
            try (var _ = PairingNotice.show(home, code.text())) {
                return tell(session.run(this::tell), found);
            }
        } catch (InterruptedException interrupted) {
            return Exit.INTERRUPTED;
        } finally {
            found.destroy();
        }
    }

    private HearthConfig config() {
        return Usage.checked(command, () -> {
            HearthConfig config = interfaces.applyTo(HearthConfig.defaults());
            return port.isEmpty() ? config : config.port(port.get());
        });
    }

    private void show(PairingCode code, int listens) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(PairingLimits.DEFAULT.codeLifeNanos());
        if (json) {
            JsonObject data = PairingLines.event("code");
            data.addProperty("code", code.text());
            data.addProperty("port", listens);
            data.addProperty("seconds", seconds);
            terminal.print(data);
            return;
        }
        terminal.out().println("code " + code.text());
        terminal.err()
                .println("within " + seconds / 60 + " minutes, on the new machine: hearth join CODE"
                        + " (if mDNS does not reach it: hearth join CODE --peer ADDRESS-OF-THIS-MACHINE"
                        + (listens == HostPort.PORT_PAIRING ? "" : ":" + listens) + ")");
    }

    private void tell(Effect.Failed failed) {
        if (json) {
            JsonObject data = PairingLines.failed(failed.joiner(), failed.address(), failed.why());
            data.addProperty("runs_left", failed.runsLeft());
            terminal.print(data);
            return;
        }
        terminal.error(
                "a try from " + PairingLines.machine("", failed.joiner(), failed.address()) + " failed: " + failed.why()
                        + "; " + failed.runsLeft() + " left; if that was not you, stop this command with Ctrl-C");
    }

    private int tell(Outcome outcome, NetworkNamespace found) throws SetupException {
        if (json) {
            terminal.print(data(outcome));
        }
        return switch (outcome) {
            case Outcome.Paired(var joiner, var label, var address, var confirmed) -> {
                if (!json) {
                    terminal.out()
                            .println("paired with " + PairingLines.machine(label, joiner, address)
                                    + ": it is in namespace " + found.name() + " now");
                }
                if (!confirmed) {
                    terminal.error(
                            "that machine proved the code and got the secret, but did not confirm that it stored it:"
                                    + " look there, and run 'hearth pair' again if it is not in the namespace");
                }
                yield Exit.OK;
            }
            case Outcome.Exhausted(var address) ->
                throw new SetupException("the code is no longer valid: three tries failed, the last one from " + address
                        + "; run 'hearth pair' again for a new code");
            case Outcome.Expired() -> {
                terminal.error(
                        "the code is no longer valid: it was not used within 5 minutes; run 'hearth pair' again for a new"
                                + " code");
                yield Exit.TIMED_OUT;
            }
            case Outcome.Broken(var why) -> throw new SetupException(why);
        };
    }

    private static JsonObject data(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Paired(var joiner, var label, var address, var confirmed) -> {
                JsonObject data = PairingLines.paired(joiner, label, address);
                data.addProperty("confirmed", confirmed);
                yield data;
            }
            case Outcome.Exhausted(var address) -> {
                JsonObject data = PairingLines.ended("exhausted");
                data.addProperty("address", address);
                yield data;
            }
            case Outcome.Expired() -> PairingLines.ended("expired");
            case Outcome.Broken(var why) -> PairingLines.ended(why);
        };
    }
}
