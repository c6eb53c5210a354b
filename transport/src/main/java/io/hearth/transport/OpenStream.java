package io.hearth.transport;

/** A data stream as its node holds it. */
sealed interface OpenStream extends DataStream permits RecordStream, LocalStream {
    /** Ends the stream without a word; never blocks. */
    void abort(StreamException.Cause cause, String why);
}
