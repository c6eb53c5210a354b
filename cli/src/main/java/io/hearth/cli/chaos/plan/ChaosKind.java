package io.hearth.cli.chaos.plan;

/** What {@code hearth chaos} does to hosts. */
public enum ChaosKind {
    /** The cable is out: the others hear nothing and are told nothing. */
    SILENT("silent"),
    /** {@code kill -9} of a worker that is not the master. */
    KILLED("killed"),
    /** {@code kill -9} of the master. */
    MASTER("master"),
    /** SIGSTOP for a second: shorter than the silence that counts, so nobody may be removed for it. */
    PAUSE("pause_1s"),
    /** SIGSTOP for ten seconds: the others go on without it. */
    SLEEP("pause_10s"),
    /** The switch falls into a majority and the rest. */
    PARTITION("partition"),
    /** The switch falls into parts none of which may go on. */
    SHATTER("shatter"),
    /** The switch is off and on again: all cables are out, then they are in one by one. No member may be removed for it. */
    SWITCH("switch"),
    /** One host hears the others, which do not hear it. */
    MUTE("one_way_mute"),
    /** One host does not hear the others, which hear it. */
    DEAF("one_way_deaf"),
    /** The cable of one host is out for a span that the caller chooses. Soon after, all are together again. */
    AWAY("away"),
    /** One host's disk is slow all the time; {@code kill -9} of another worker makes the slow one save a change. */
    DISK("disk"),
    /** {@code kill -9} of one of several workers that share one machine and one home. */
    PROCESS("process");

    private final String text;

    ChaosKind(String text) {
        this.text = text;
    }

    /** As reports name it. */
    public String text() {
        return text;
    }

    /** Whether {@link ChaosPlan} mixes it with others; a {@link ChaosDrill} repeats the other kinds. */
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
