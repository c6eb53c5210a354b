package io.hearth.agent.votes;

import io.hearth.identity.DurableFile;
import java.io.IOException;
import java.nio.file.Path;

/** How a record gets on disk for good. Tests count these calls and let them fail. */
interface RecordWriter {
    /** Each returns when the disk has it, by {@link DurableFile}. */
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

    /** Puts new content, which carries a checksum, in place of a file's former one, or of none. */
    void replace(Path file, byte[] content) throws IOException;

    /** Makes sure of a file that another process wrote. */
    void sync(Path file) throws IOException;
}
