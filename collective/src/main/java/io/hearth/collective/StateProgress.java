package io.hearth.collective;

/** Told how far a long transfer of shared state is; on the calling thread, about once a second. */
interface StateProgress {
    /** Tells nobody. */
    StateProgress NONE = (_, _) -> {};

    /** {@code bytesDone} of {@code bytesTotal} that this rank lacked have arrived and were checked. */
    void progress(long bytesDone, long bytesTotal);
}
