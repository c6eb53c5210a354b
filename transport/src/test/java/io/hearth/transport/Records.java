package io.hearth.transport;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Sends records by their headers. */
public final class Records {
    private Records() {}

    /** A record of zeros. */
    public static void send(DataStream stream, RecordHeader header) throws IOException {
        send(stream, header, MemorySegment.ofArray(new byte[header.length()]));
    }

    public static void send(DataStream stream, RecordHeader header, MemorySegment bytes) throws IOException {
        stream.send(
                header.kind(),
                header.chunk(),
                header.collective(),
                header.offset(),
                MemorySegment.NULL,
                bytes,
                0,
                header.length());
    }
}
