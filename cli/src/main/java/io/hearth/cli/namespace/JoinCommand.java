package io.hearth.cli.namespace;

import com.google.gson.JsonObject;
import io.hearth.agent.HearthConfig;
import io.hearth.agent.pairing.JoinerSession;
import io.hearth.agent.settings.Settings;
import io.hearth.cli.option.InterfaceOptions;
import io.hearth.cli.terminal.Durations;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.UntilSignal;
import io.hearth.cli.terminal.Usage;
import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.discovery.HostPort;
import io.hearth.identity.HearthHome;
import io.hearth.identity.pairing.NamespaceNewcomer;
import io.hearth.identity.pairing.machine.JoinerMachine.Effect;
import io.hearth.identity.pairing.machine.JoinerMachine.Outcome;
import io.hearth.identity.pairing.machine.PairingCode;
import io.hearth.identity.pairing.machine.PairingLimits;
import io.hearth.identity.roster.MachineLookup;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hearth join}: puts this machine into the namespace of the machine that shows the code. */
@Command(
        name = "join",
        description = {
            "Put this machine into the namespace of the machine that shows the code ('hearth pair' there).",
            "Nothing but the code is needed. Without CODE, the command asks for it or reads it from standard input."
        })
public final class JoinCommand implements Callable<Integer> {
    private static final int LINE_BYTES_MAX = 64;
    private static final Duration WAIT_MAX = Duration.ofHours(1);

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Mixin
    private InterfaceOptions interfaces = new InterfaceOptions();

    @Parameters(
            arity = "0..*",
            paramLabel = "CODE",
            description = "The ten digits that the other machine shows; spaces and dashes are ignored.")
    private List<String> typed = new ArrayList<>();

    @Option(
            names = "--peer",
            paramLabel = "HOST[:PORT]",
            description = "Address of the other machine, instead of mDNS (default port: 52400).")
    private String peer = "";

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long to look for the other machine (default: 60s). After that the exit code is 124.")
    private Duration timeout = Duration.ofNanos(PairingLimits.DEFAULT.waitNanos());

    @Option(
            names = "--json",
            description = "Print JSON lines: schema, event (failed, paired, ended) and the fields of the event.")
    private boolean json;

    public JoinCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws SetupException {
        HearthConfig own = checkedConfig();
        List<HostPort> peers = checkedPeers();
        HearthHome home = HearthHome.open(terminal.environment());
        HearthConfig config = own.completed(Settings.read(home, terminal.environment()));
        var newcomer = new NamespaceNewcomer(home);
        newcomer.requireRoom();
        PairingCode code = code();
        try (var _ = new UntilSignal();
                JoinerSession session = JoinerSession.open(
                        config,
                        home,
                        code,
                        peers,
                        newcomer,
                        PairingLimits.DEFAULT.waitNanos(timeout.toNanos()),
                        Clock.system())) {
            return tell(session.run(this::tell), newcomer, code);
        } catch (InterruptedException interrupted) {
            return Exit.INTERRUPTED;
        }
    }

    private HearthConfig checkedConfig() {
        return Usage.checked(command, () -> {
            if (!timeout.isPositive() || timeout.compareTo(WAIT_MAX) > 0) {
                throw new IllegalArgumentException("--wait must be 1ms to 1h, got " + timeout);
            }
            return interfaces.applyTo(HearthConfig.defaults());
        });
    }

    private List<HostPort> checkedPeers() {
        return Usage.checked(
                command, () -> peer.isEmpty() ? List.of() : List.of(HostPort.parse(peer, HostPort.PORT_PAIRING)));
    }

    /** Reads the code. Messages never repeat the input, because most of its digits may be right. */
    private PairingCode code() throws SetupException {
        String text = typed.isEmpty() ? asked() : String.join("", typed);
        return PairingCode.parse(text)
                .orElseThrow(() -> Usage.mistake(
                        command,
                        "what was typed is no pairing code: a code has 10 digits; type the line that 'hearth pair'"
                                + " shows on the other machine, such as 12-3456-7890"));
    }

    private String asked() throws SetupException {
        if (terminal.interactive()) {
            return terminal.readHidden("code of the other machine (not shown): ");
        }
        try {
            return new String(terminal.in().readNBytes(LINE_BYTES_MAX), StandardCharsets.US_ASCII);
        } catch (IOException unreadable) {
            throw new SetupException(
                    "cannot read the code from standard input: " + unreadable.getMessage()
                            + "; type it after 'hearth join'",
                    unreadable);
        }
    }

    private void tell(Effect.Failed failed) {
        if (json) {
            terminal.print(PairingLines.failed(failed.sponsor(), failed.address(), failed.why()));
            return;
        }
        terminal.err()
                .println("tried " + PairingLines.machine("", failed.sponsor(), failed.address()) + ": " + failed.why());
    }

    private int tell(Outcome outcome, NamespaceNewcomer newcomer, PairingCode code) throws SetupException {
        return switch (outcome) {
            case Outcome.Paired(var sponsor, var label, var address) -> {
                var joined = newcomer.joined().orElseThrow();
                if (json) {
                    JsonObject data = PairingLines.paired(sponsor, label, address);
                    data.addProperty("namespace", joined.namespace());
                    data.addProperty("key_id", joined.keyId());
                    terminal.print(data);
                } else {
                    terminal.out()
                            .println("paired with " + PairingLines.machine(label, sponsor, address)
                                    + ": this machine is in namespace " + joined.namespace() + ", key id "
                                    + joined.keyId());
                }
                if (!joined.forgotten().isEmpty()) {
                    terminal.error("the other machines do not know that this machine removed "
                            + MachineLookup.names(joined.forgotten(), Map.of())
                            + "; remove each again with 'hearth remove ID'");
                }
                yield Exit.OK;
            }
            case Outcome.NotFound(var trouble) -> {
                ended(trouble.isEmpty() ? "not found" : trouble);
                terminal.error(notFound(trouble, code));
                yield Exit.TIMED_OUT;
            }
            case Outcome.Failed failed -> {
                ended(failed.why());
                throw new SetupException(remedy(failed));
            }
            case Outcome.NotStored(var why) -> {
                ended(why);
                throw new SetupException(why);
            }
        };
    }

    private void ended(String why) {
        if (json) {
            terminal.print(PairingLines.ended(why));
        }
    }

    private String notFound(String trouble, PairingCode code) {
        String what = peer.isEmpty()
                ? "no machine of this LAN shows a code that begins with " + code.nameplate()
                : "no machine shows a code at " + HostPort.parse(peer, HostPort.PORT_PAIRING);
        return what + " (looked for " + timeout.toSeconds() + " s" + (trouble.isEmpty() ? "" : "; " + trouble)
                + "): a code is valid for 5 minutes and for one machine; run 'hearth pair' there"
                + (peer.isEmpty() ? ", and if mDNS does not reach it, set its address with --peer" : "")
                + ", then 'hearth join' with the new code";
    }

    /** The message for the user, in one line. */
    static String remedy(Outcome.Failed failed) {
        String where = " at " + failed.address();
        String again = "; run 'hearth pair' there again and type the new code here";
        return switch (failed.failure()) {
            case WRONG_CODE ->
                "wrong code for the machine" + where + ": "
                        + (failed.runsLeft() > 0
                                ? "the digits differ from those on its screen; type them again, " + failed.runsLeft()
                                        + (failed.runsLeft() == 1 ? " try is left" : " tries are left")
                                : "and it was the last try" + again);
            case DEAD ->
                "the code is no longer valid" + where + ": it was used, it is too old, or three tries were wrong"
                        + again;
            case BUSY -> "the machine" + where + " was busy with another joining machine" + again;
            case PROOF ->
                "the connection to the machine" + where
                        + " was tampered with, or that machine is not honest: no secret was" + " disclosed" + again;
            case ITSELF, UNKNOWN, MALFORMED, TOO_LATE, HUNG_UP, UNABLE ->
                "pairing with the machine" + where + " failed: " + failed.why() + again;
        };
    }
}
