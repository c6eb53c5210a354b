package io.hearth.election.view.state;

/** The failure detector's opinion of a node. */
public enum Suspicion {
    /** It is heard, or was not silent for long enough. */
    NONE,
    /** It was silent for too long, or its link closed and did not come back; it or the network may have failed. */
    SILENT,
    /** Its process ended: a dial was refused, so the network works. */
    REFUSED
}
