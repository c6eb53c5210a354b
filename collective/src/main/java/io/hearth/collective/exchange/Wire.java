package io.hearth.collective.exchange;

import io.hearth.collective.group.StreamBrokenException;
import io.hearth.identity.NodeId;
import io.hearth.transport.DataStream;
import io.hearth.transport.MemoryFault;
import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.RecordHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Sends and receives the records of one number in one mesh, by rank; an error names the rank of the stream. For one sender and one
 * receiver.
 */
public final class Wire {
    /** Kind of the first record to a rank under a number, with the signature before the bytes. */
    public static final int CALL = RecordHeader.USER_MIN;

    public static final int SEGMENT = CALL + 1;

    /** The last record of a number that ends without a result. */
    public static final int REFUSED = CALL + 2;

    /** An empty segment. */
    static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    private final Mesh mesh;
    private final Gate gate;
    private long number; // set by the driving thread, before a number's first record

    Wire(Mesh mesh, Gate gate, long number) {
        this.mesh = mesh;
        this.gate = gate;
        this.number = number;
    }

    /** Sets the number of the following records. */
    void begin(long next) {
        number = next;
    }

    /** Sends one record; arguments as in {@link DataStream#send}. */
    void send(
            int rank,
            int kind,
            int chunk,
            long offset,
            MemorySegment prefix,
            MemorySegment bytes,
            long from,
            int length)
            throws IOException {
        gate.pass(mesh);
        DataStream stream = mesh.stream(rank);
        try {
            stream.send(kind, chunk, number, offset, prefix, bytes, from, length);
        } catch (IOException broken) {
            mesh.check();
            throw new StreamBrokenException(
                    mesh.members().get(rank), "sending to " + name(rank) + " failed: " + broken.getMessage(), broken);
        }
    }

    /** Waits for a record; it is borrowed until the next one. */
    ReceivedRecord receive(int rank) throws IOException {
        NodeId from = mesh.members().get(rank);
        mesh.waitsFor(from);
        DataStream stream = mesh.stream(rank);
        try {
            return stream.receive();
        } catch (IOException broken) {
            mesh.check();
            throw new StreamBrokenException(
                    from, "receiving from " + name(rank) + " failed: " + broken.getMessage(), broken);
        }
    }

    /** Waits while the gate is closed, and checks the number. The record may be used until {@link #leave}, which must follow. */
    void enter(int rank, ReceivedRecord arrived) throws IOException {
        gate.enter(mesh);
        if (arrived.collective() != number) {
            gate.leave();
            throw misfit(rank, arrived, "number " + number);
        }
    }

    void leave() {
        gate.leave();
    }

    /** Name of a rank for messages. */
    String name(int rank) {
        return mesh.name(mesh.members().get(rank));
    }

    /** Converts an error on reading a record from shared memory, which the peer may have removed. Any other error is thrown. */
    StreamBrokenException fault(int rank, ReceivedRecord arrived, InternalError error) {
        if (!arrived.isNative()) {
            throw error;
        }
        MemoryFault fault = MemoryFault.of(error);
        return new StreamBrokenException(
                mesh.members().get(rank), "receiving from " + name(rank) + " failed: " + fault.getMessage(), fault);
    }

    /** The error for a record that is not the {@code expected} one. */
    StreamBrokenException misfit(int rank, ReceivedRecord arrived, String expected) {
        return new StreamBrokenException(
                mesh.members().get(rank),
                name(rank) + " sent kind " + arrived.kind() + " number " + arrived.collective() + " chunk "
                        + arrived.chunk() + " offset " + arrived.offset() + " length " + arrived.length() + " where "
                        + expected + " was due");
    }
}
