package io.hearth.accel.select;

import java.io.IOException;
import java.util.Optional;

/** Where the figures of {@link Calibration} are kept between two starts, and beside them the GPU's failures. */
public interface CalibrationStore {
    /** Keeps nothing: who uses it measures at each start. */
    CalibrationStore NONE = new CalibrationStore() {
        @Override
        public Optional<byte[]> read() {
            return Optional.empty();
        }

        @Override
        public void write(byte[] content) {}
    };

    /**
     * What was written last, cut off behind {@link Calibration#BYTES_MAX} and one byte; empty if nothing was.
     *
     * @throws IOException it cannot be read; the message says why
     */
    Optional<byte[]> read() throws IOException;

    /**
     * Puts new content in the place of the old, all or nothing.
     *
     * @throws IOException it cannot be written; the message says why
     */
    void write(byte[] content) throws IOException;

    /** Where a {@link FaultJournal} is kept, with the same bounds; nowhere unless said otherwise. */
    default CalibrationStore faults() {
        return NONE;
    }
}
