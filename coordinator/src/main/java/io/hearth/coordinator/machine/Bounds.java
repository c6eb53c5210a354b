package io.hearth.coordinator.machine;

import io.hearth.serve.Failure;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Upper bounds of what a coordinator keeps, and the errors of values out of range. */
final class Bounds {
    static final int WORKERS_MAX = 10_000;

    /** Bytes of an id or an address, in UTF-8. */
    static final int NAME_BYTES_MAX = 256;

    /** Bytes of a checkpoint's path, in UTF-8. */
    static final int PATH_BYTES_MAX = 1_024;

    /** Checkpoints that some worker has not ended yet. */
    static final int OPEN_CHECKPOINTS_MAX = 64;

    /** Checkpoints that are remembered, open ones among them. */
    static final int CHECKPOINTS_MAX = 256;

    private Bounds() {}

    static Optional<Failure> ofWorkerId(String id) {
        return id.isEmpty()
                ? Optional.of(invalid("worker id cannot be empty"))
                : length("a worker id", id, NAME_BYTES_MAX);
    }

    static Optional<Failure> ofAddress(String address) {
        return address.isEmpty()
                ? Optional.of(invalid("worker address cannot be empty: others call the worker there"))
                : length("a worker address", address, NAME_BYTES_MAX);
    }

    static Optional<Failure> ofCheckpoint(long epoch, String path) {
        return epoch < 0
                ? Optional.of(invalid("an epoch is not negative, got " + epoch))
                : length("a checkpoint path", path, PATH_BYTES_MAX);
    }

    static Optional<Failure> length(String what, String text, int bytesMax) {
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        return bytes <= bytesMax
                ? Optional.empty()
                : Optional.of(invalid(what + " has at most " + bytesMax + " bytes in UTF-8, got " + bytes));
    }

    static Failure invalid(String text) {
        return new Failure(Failure.Code.INVALID_ARGUMENT, text);
    }
}
