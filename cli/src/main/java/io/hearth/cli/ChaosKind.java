package io.hearth.cli;

/** What {@code hearth chaos} does to hosts. */
enum ChaosKind {
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
    SHATTER("shatter");

    private final String text;

    ChaosKind(String text) {
        this.text = text;
    }

    /** As reports name it. */
    String text() {
        return text;
    }

    /** Whether it strikes the network between all hosts instead of one host. */
    boolean isSplit() {
        return this == PARTITION || this == SHATTER;
    }
}
