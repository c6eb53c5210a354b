package io.hearth.compression.sparse;

import io.hearth.compression.format.Float32;
import java.lang.foreign.MemorySegment;

/** Values that are read run by run, while each run is in a cache. A run is valid until the next one is made. */
public interface Source {
    /** Value {@code index}, for samples. */
    float value(long index);

    /**
     * Makes {@code n} values from {@code first} on available in {@link #run}.
     *
     * @param n at most the run length that the source was made for
     * @return the byte at which they begin there, until the next call
     */
    long make(long first, int n);

    /** Native memory in which {@link #make} leaves values. */
    MemorySegment run();

    /** The same values for another thread, with its own {@code run}. */
    Source over(MemorySegment run);

    /** Values that are in memory already. */
    static Source of(MemorySegment values) {
        return new Source() {
            @Override
            public float value(long index) {
                return values.get(Float32.FLOAT, index * Float.BYTES);
            }

            @Override
            public long make(long first, int n) {
                return first * Float.BYTES;
            }

            @Override
            public MemorySegment run() {
                return values;
            }

            @Override
            public Source over(MemorySegment run) {
                return this;
            }
        };
    }
}
