package io.hearth.compression.block;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.select.Engines;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Header;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/** The values themselves, bit for bit, NaN and infinities included. Body: {@code count} float32. */
public final class NoneCodec implements BlockCodec {
    private final CodecKernels kernels;

    /** Uses the fastest engine of this JVM, the GPU excepted. */
    public NoneCodec() {
        this(Engines.best().codecKernels());
    }

    /** The same with the kernels of an engine. */
    public NoneCodec(CodecKernels kernels) {
        this.kernels = kernels;
    }

    @Override
    public String name() {
        return "none";
    }

    @Override
    public boolean lossless() {
        return true;
    }

    @Override
    public int block() {
        return 1;
    }

    @Override
    public long encodedBytesMax(long count) {
        return Header.BYTES + count * Float.BYTES;
    }

    @Override
    public long encode(MemorySegment values, long count, MemorySegment encoded) {
        Float32.checkRoom(values, count);
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        Header.write(encoded, Header.NONE, 0, count);
        MemorySegment.copy(values, 0, encoded, Header.BYTES, count * Float.BYTES);
        return encodedBytesMax(count);
    }

    /**
     * Begins an encoding of {@code count} values; the caller writes them to the returned memory.
     *
     * @param encoded at least {@link #encodedBytesMax} bytes; its header is written
     * @return the rest of these bytes
     */
    public static MemorySegment begin(MemorySegment encoded, long count) {
        long bytes = count * Float.BYTES;
        Float32.checkRoom(encoded, Header.BYTES + bytes, count);
        Header.write(encoded, Header.NONE, 0, count);
        return encoded.asSlice(Header.BYTES, bytes);
    }

    @Override
    public void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        MemorySegment body = body(encoded, values, count);
        MemorySegment.copy(body, 0, values, 0, body.byteSize());
    }

    @Override
    public void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        MemorySegment body = body(encoded, values, count);
        if (body.isNative()) {
            kernels.add(values, 0, values, 0, body, 0, count);
            return;
        }
        float[] decoded = new float[(int) Math.min(Float32.BLOCK, count)];
        float[] scratch = new float[decoded.length];
        for (long done = 0; done < count; done += Float32.BLOCK) {
            int n = Float32.blockAt(done, count);
            Float32.load(body, done, decoded, n);
            Float32.add(decoded, values, done, n, scratch);
        }
    }

    private MemorySegment body(MemorySegment encoded, MemorySegment values, long count)
            throws MalformedMessageException {
        Float32.checkRoom(values, count);
        check(encoded, count);
        return encoded.asSlice(Header.BYTES);
    }

    @Override
    public void check(MemorySegment encoded, long count) throws MalformedMessageException {
        Header.check(encoded, Header.NONE, 0, count, encodedBytesMax(count));
    }
}
