package io.hearth.parameterserver.checkpoint;

import java.nio.file.Path;

/**
 * A file that has a checkpoint.
 *
 * @param crc32c of all bytes but the last four, which have it too
 * @param bytes of the file
 */
public record Written(int part, long term, long index, Path file, int crc32c, long bytes) {}
