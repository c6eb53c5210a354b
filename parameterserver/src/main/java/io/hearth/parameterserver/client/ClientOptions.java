package io.hearth.parameterserver.client;

import io.hearth.parameterserver.Sizes;
import io.hearth.serve.grpc.TlsFiles;
import java.time.Duration;
import java.util.Optional;

/**
 * How a client works. The first two are the same for all trainers.
 *
 * @param pieceBytesMax parameters with more bytes are split
 * @param isPlacedBySize whether parameters are spread by their sizes, and not by the hash of their names
 * @param timeout of a call, with its retries
 * @param tls files of TLS; empty without encryption
 */
public record ClientOptions(int pieceBytesMax, boolean isPlacedBySize, Duration timeout, Optional<TlsFiles> tls) {
    /** Pieces of 2 MiB, each of which fits one message between machines, placed by name, 30 s. */
    public static final ClientOptions DEFAULT = new ClientOptions(2 << 20, false, Duration.ofSeconds(30));

    public ClientOptions {
        if (pieceBytesMax < Long.BYTES || pieceBytesMax > Sizes.CONTENT_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "pieceBytesMax is " + Long.BYTES + " to " + Sizes.CONTENT_BYTES_MAX + ", got " + pieceBytesMax);
        }
        if (!timeout.isPositive()) {
            throw new IllegalArgumentException("timeout must be positive, got " + timeout);
        }
    }

    /** Without TLS. */
    public ClientOptions(int pieceBytesMax, boolean isPlacedBySize, Duration timeout) {
        this(pieceBytesMax, isPlacedBySize, timeout, Optional.empty());
    }

    /** With TLS on the way to the servers. */
    public ClientOptions withTls(TlsFiles files) {
        return new ClientOptions(pieceBytesMax, isPlacedBySize, timeout, Optional.of(files));
    }
}
