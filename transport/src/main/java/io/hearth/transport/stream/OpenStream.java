package io.hearth.transport.stream;

import io.hearth.transport.DataStream;
import io.hearth.transport.StreamException;

/** A data stream as its node holds it. */
public sealed interface OpenStream extends DataStream permits RecordStream, SharedMemoryStream {
    /** Ends the stream without a word; never blocks. */
    void abort(StreamException.Cause cause, String why);
}
