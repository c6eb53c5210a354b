package io.hearth.collective.state;

import io.hearth.core.MalformedMessageException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Names and sizes of a rank's shared buffers, in the order of their registration. Chunks are cut from all buffers laid end to end.
 *
 * @param chunkBytes size of all chunks but the last, 1 to {@link #CHUNK_BYTES_MAX}
 * @param shares in the order of their registration
 * @param bytes of all buffers together
 */
record StateLayout(int chunkBytes, List<Share> shares, long bytes) {
    /** Largest chunk. */
    static final int CHUNK_BYTES_MAX = 1 << 20;

    /** Most buffers of all shares together. */
    static final int BUFFERS_MAX = 16_384;

    /** Most bytes of all buffers together, 8 TiB: the list of fingerprints then has 64 MiB. */
    static final long BYTES_MAX = 1L << 43;

    /** Longest name in characters. */
    static final int NAME_MAX = 63;

    /** Longest encoding. */
    static final int ENCODED_MAX = 8 + BUFFERS_MAX * (2 + 4 * NAME_MAX + 4 + Long.BYTES);

    StateLayout {
        shares = List.copyOf(shares);
        int buffers = 0;
        var names = new HashSet<String>();
        for (Share share : shares) {
            if (!names.add(share.name())) {
                throw new IllegalArgumentException("'" + share.name() + "' is shared already; names are unique");
            }
            buffers += share.sizes().size();
        }
        if (bytes != sum(shares) || bytes > BYTES_MAX) {
            throw new IllegalArgumentException("shared state must have at most " + BYTES_MAX + " bytes, got " + bytes);
        }
        if (buffers > BUFFERS_MAX) {
            throw new IllegalArgumentException("at most " + BUFFERS_MAX + " buffers can be shared, got " + buffers
                    + "; join small ones into larger ones");
        }
        if (chunkBytes < 1 || chunkBytes > CHUNK_BYTES_MAX || bytes / chunkBytes >= Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "chunk size must be 1 to " + CHUNK_BYTES_MAX + ", got " + chunkBytes + " for " + bytes + " bytes");
        }
    }

    /**
     * The buffers that were registered under one name.
     *
     * @param name 1 to {@link #NAME_MAX} printable characters
     * @param sizes of its buffers in bytes, at least one
     */
    record Share(String name, List<Long> sizes) {
        Share {
            sizes = List.copyOf(sizes);
            requireName(name);
            if (sizes.isEmpty() || sizes.stream().anyMatch(size -> size < 0)) {
                throw new IllegalArgumentException("'" + name + "' needs at least one buffer, and sizes of 0 or more");
            }
        }

        static void requireName(String name) {
            boolean isPrintable = name.codePoints().noneMatch(Character::isISOControl);
            if (name.isEmpty() || name.length() > NAME_MAX || !isPrintable) {
                throw new IllegalArgumentException(
                        "a name must have 1 to " + NAME_MAX + " printable characters, got " + name.length());
            }
        }
    }

    StateLayout(int chunkBytes, List<Share> shares) {
        this(chunkBytes, shares, sum(shares));
    }

    /** Sum of all sizes, at most {@link Long#MAX_VALUE}. */
    private static long sum(List<Share> shares) {
        long sum = 0;
        for (Share share : shares) {
            for (long size : share.sizes()) {
                sum = size > Long.MAX_VALUE - sum ? Long.MAX_VALUE : sum + size;
            }
        }
        return sum;
    }

    /** Number of chunks; 0 without bytes. */
    int chunks() {
        return (int) Math.ceilDiv(bytes, (long) chunkBytes);
    }

    /** Bytes of a chunk; only the last may be short. */
    int chunkLength(int chunk) {
        return (int) Math.min(chunkBytes, bytes - (long) chunk * chunkBytes);
    }

    /**
     * The first difference from the group's layout; empty if they are equal. The text continues a message that begins with "rank
     * 2".
     *
     * @param group the agreed layout
     */
    Optional<String> differenceFrom(StateLayout group) {
        if (chunkBytes != group.chunkBytes) {
            return Optional.of(
                    "cuts its state into chunks of " + chunkBytes + " bytes, the group into " + group.chunkBytes);
        }
        for (int i = 0; i < Math.max(shares.size(), group.shares.size()); i++) {
            if (i >= shares.size()) {
                return Optional.of("does not share '" + group.shares.get(i).name() + "' as the group does");
            }
            Share own = shares.get(i);
            if (i >= group.shares.size()) {
                return Optional.of("shares '" + own.name() + "', which the group does not share");
            }
            Optional<String> difference = difference(own, group.shares.get(i));
            if (difference.isPresent()) {
                return difference;
            }
        }
        return Optional.empty();
    }

    private static Optional<String> difference(Share own, Share group) {
        if (!own.name().equals(group.name())) {
            return Optional.of("shares '" + own.name() + "' where the group shares '" + group.name() + "'");
        }
        int buffers = own.sizes().size();
        if (buffers != group.sizes().size()) {
            return Optional.of("shares '" + own.name() + "' in " + buffers + " buffers, the group in "
                    + group.sizes().size());
        }
        for (int i = 0; i < buffers; i++) {
            if (!own.sizes().get(i).equals(group.sizes().get(i))) {
                String which = buffers == 1 ? "" : " (buffer " + (i + 1) + " of " + buffers + ")";
                return Optional.of("shares '" + own.name() + "'" + which + " of "
                        + own.sizes().get(i) + " bytes, the group's is "
                        + group.sizes().get(i) + " bytes");
            }
        }
        return Optional.empty();
    }

    /**
     * Little-endian: chunk size (4), number of shares (4), and for each the length of its name in UTF-8 (2), the name, the
     * number of its buffers (4), and their sizes (8 each).
     */
    byte[] encode() {
        List<byte[]> names = shares.stream()
                .map(share -> share.name().getBytes(StandardCharsets.UTF_8))
                .toList();
        int size = 2 * Integer.BYTES;
        for (int i = 0; i < shares.size(); i++) {
            int buffers = shares.get(i).sizes().size();
            size += Short.BYTES + names.get(i).length + Integer.BYTES + buffers * Long.BYTES;
        }
        ByteBuffer out = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(chunkBytes).putInt(shares.size());
        for (int i = 0; i < shares.size(); i++) {
            List<Long> sizes = shares.get(i).sizes();
            out.putShort((short) names.get(i).length).put(names.get(i)).putInt(sizes.size());
            sizes.forEach(out::putLong);
        }
        return out.array();
    }

    /**
     * Reads a layout from the front of {@code in}, which is little-endian.
     *
     * @throws MalformedMessageException if the bytes are not a layout
     */
    static StateLayout decode(ByteBuffer in) throws MalformedMessageException {
        try {
            int chunkBytes = in.getInt();
            int count = bounded(in.getInt());
            List<Share> shares = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                byte[] name = new byte[Math.min(Short.toUnsignedInt(in.getShort()), in.remaining())];
                in.get(name);
                int buffers = bounded(in.getInt());
                List<Long> sizes = new ArrayList<>();
                for (int j = 0; j < buffers; j++) {
                    sizes.add(in.getLong());
                }
                shares.add(new Share(new String(name, StandardCharsets.UTF_8), sizes));
            }
            return new StateLayout(chunkBytes, shares);
        } catch (BufferUnderflowException | IllegalArgumentException nonsense) {
            throw new MalformedMessageException("malformed layout of shared state: " + nonsense.getMessage(), nonsense);
        }
    }

    private static int bounded(int count) {
        if (count < 0 || count > BUFFERS_MAX) {
            throw new IllegalArgumentException(count + " entries");
        }
        return count;
    }
}
