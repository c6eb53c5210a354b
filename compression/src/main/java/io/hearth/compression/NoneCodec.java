package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/** The values themselves, bit for bit, NaN and infinities included. Body: {@code count} float32. */
public final class NoneCodec implements Codec {
    @Override
    public String name() {
        return "none";
    }

    @Override
    public boolean lossless() {
        return true;
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

    @Override
    public void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        MemorySegment body = body(encoded, values, count);
        MemorySegment.copy(body, 0, values, 0, body.byteSize());
    }

    @Override
    public void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        MemorySegment body = body(encoded, values, count);
        float[] decoded = new float[Float32.BLOCK];
        float[] scratch = new float[Float32.BLOCK];
        for (long done = 0; done < count; done += Float32.BLOCK) {
            int n = Float32.blockAt(done, count);
            Float32.load(body, done, decoded, n);
            Float32.add(decoded, values, done, n, scratch);
        }
    }

    private static MemorySegment body(MemorySegment encoded, MemorySegment values, long count)
            throws MalformedMessageException {
        Float32.checkRoom(values, count);
        Header.check(encoded, Header.NONE, 0, count);
        if (encoded.byteSize() != Header.BYTES + count * Float.BYTES) {
            throw new MalformedMessageException(
                    count + " plain values in " + encoded.byteSize() + " bytes: the size does not fit");
        }
        return encoded.asSlice(Header.BYTES);
    }
}
