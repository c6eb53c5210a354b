package io.hearth.accel.select;

import java.io.IOException;
import java.util.Optional;

/** Keeps a {@link Calibration} between two starts. */
public interface CalibrationStore {
    /** Keeps nothing: a node that uses it measures at each start. */
    CalibrationStore NONE = new CalibrationStore() {
        @Override
        public Optional<byte[]> read() {
            return Optional.empty();
        }

        @Override
        public void write(byte[] content) {}
    };

    /**
     * Returns the content that was written last, at most {@link Calibration#BYTES_MAX} and one byte of it; empty if there is none.
     *
     * @throws IOException it cannot be read; the message says why
     */
    Optional<byte[]> read() throws IOException;

    /**
     * Replaces the content, all or nothing.
     *
     * @throws IOException it cannot be written; the message says why
     */
    void write(byte[] content) throws IOException;
}
