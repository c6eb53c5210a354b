package io.hearth.transport.record;

import io.hearth.transport.DataStream;
import io.hearth.transport.DataTransport;
import io.hearth.transport.StreamException;

/** A data stream with the methods that only its node uses. */
public interface OpenStream extends DataStream {
    /** What carries its records. */
    DataTransport transport();

    /** Ends the stream without a last record; never blocks. */
    void abort(StreamException.Cause cause, String why);
}
