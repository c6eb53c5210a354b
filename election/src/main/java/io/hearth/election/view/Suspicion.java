package io.hearth.election.view;

/** What the failure detector thinks of a node. */
enum Suspicion {
    /** It is heard, or not long enough unheard. */
    NONE,
    /** It was silent for too long, or its link closed and did not come back; it or the network may have failed. */
    SILENT,
    /** Nobody listens where its link led to: its process ended, and the network carries what says so. */
    REFUSED
}
