package io.hearth.agent.votes;

import io.hearth.identity.DurableFile;
import java.io.IOException;
import java.nio.file.Path;

/** Writes records durably. Tests count these calls and make them fail. */
interface RecordWriter {
    /** The product's writer, by {@link DurableFile}: each call returns when the data is on disk. */
    RecordWriter DURABLE = new RecordWriter() {
        @Override
        public void replace(Path file, byte[] content) throws IOException {
            DurableFile.replaceChecked(file, content);
        }

        @Override
        public void sync(Path file) throws IOException {
            DurableFile.sync(file);
        }
    };

    /** Replaces or creates a file; the content has a checksum. */
    void replace(Path file, byte[] content) throws IOException;

    /** Forces a file that another process wrote to disk. */
    void sync(Path file) throws IOException;
}
