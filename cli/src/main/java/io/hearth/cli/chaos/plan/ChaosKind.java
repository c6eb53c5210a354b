package io.hearth.cli.chaos.plan;

/** Kinds of faults of {@code hearth chaos}. */
public enum ChaosKind {
    /** The cable is unplugged: the other hosts get no data and no error. */
    SILENT("silent"),
    /** {@code kill -9} of a worker that is not the master. */
    KILLED("killed"),
    /** {@code kill -9} of the master. */
    MASTER("master"),
    /** SIGSTOP for a second: shorter than the timeout for a silent member, so no worker may be removed for it. */
    PAUSE("pause_1s"),
    /** SIGSTOP for ten seconds: the other workers go on without the stopped one. */
    SLEEP("pause_10s"),
    /** The switch splits into a majority and the rest. */
    PARTITION("partition"),
    /** The switch splits into parts, none of which may go on. */
    SHATTER("shatter"),
    /** The switch restarts: all cables are unplugged, then plugged in one by one. No member may be removed for it. */
    SWITCH("switch"),
    /** One host receives but cannot send. */
    MUTE("one_way_mute"),
    /** One host sends but cannot receive. */
    DEAF("one_way_deaf"),
    /** The cable of one host is unplugged for a time that the caller chooses. Soon afterwards all hosts must be together again. */
    AWAY("away"),
    /** The disk of one host is always slow. {@code kill -9} of another worker makes the slow host save a view change. */
    DISK("disk"),
    /** {@code kill -9} of one of several workers that share one machine and one home. */
    PROCESS("process");

    private final String text;

    ChaosKind(String text) {
        this.text = text;
    }

    /** Its name in reports. */
    public String text() {
        return text;
    }

    /** Whether {@link ChaosPlan} mixes it with other kinds. A {@link ChaosDrill} repeats one of the kinds for which this is false. */
    public boolean isMixed() {
        return switch (this) {
            case SILENT, KILLED, MASTER, PAUSE, SLEEP, PARTITION, SHATTER -> true;
            case SWITCH, MUTE, DEAF, AWAY, DISK, PROCESS -> false;
        };
    }

    /** Whether it strikes the network between all hosts instead of one host. */
    public boolean isSplit() {
        return this == PARTITION || this == SHATTER;
    }
}
