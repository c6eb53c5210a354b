package io.hearth.transport.stream;

import io.hearth.transport.DataStream;
import io.hearth.transport.StreamException;

/** A data stream with the methods that only its node uses. */
public sealed interface OpenStream extends DataStream permits RecordStream, SharedMemoryStream, LaneStream {
    /** Ends the stream without a last record; never blocks. */
    void abort(StreamException.Cause cause, String why);
}
