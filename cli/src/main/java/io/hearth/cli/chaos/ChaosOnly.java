package io.hearth.cli.chaos;

import io.hearth.cli.chaos.plan.ChaosKind;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The kinds of faults that {@code hearth chaos --only} can repeat. */
public enum ChaosOnly {
    SILENT("silent"),
    KILLED("killed"),
    MASTER("master"),
    PAUSE("pause"),
    SWITCH("switch"),
    ONE_WAY("one-way"),
    AWAY("away"),
    DISK("disk"),
    PROCESS("process");

    /** All names, for messages. */
    public static final String NAMES = "silent, killed, master, pause, switch, one-way, away, disk or process";

    private final String text;

    ChaosOnly(String text) {
        this.text = text;
    }

    public static Optional<ChaosOnly> of(String text) {
        return Arrays.stream(values()).filter(only -> only.text.equals(text)).findFirst();
    }

    /** The kinds from which each round takes one. */
    public List<ChaosKind> kinds() {
        return switch (this) {
            case SILENT -> List.of(ChaosKind.SILENT);
            case KILLED -> List.of(ChaosKind.KILLED);
            case MASTER -> List.of(ChaosKind.MASTER);
            case PAUSE -> List.of(ChaosKind.PAUSE);
            case SWITCH -> List.of(ChaosKind.SWITCH);
            case ONE_WAY -> List.of(ChaosKind.MUTE, ChaosKind.DEAF);
            case AWAY -> List.of(ChaosKind.AWAY);
            case DISK -> List.of(ChaosKind.DISK);
            case PROCESS -> List.of(ChaosKind.PROCESS);
        };
    }

    /** Whether the rounds are measured on sums of large vectors ({@link ChaosSeries}); else one training goes on from round to round. */
    boolean isSeries() {
        return kinds().getFirst().isMixed();
    }
}
