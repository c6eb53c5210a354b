package io.hearth.identity.roster.machine;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.roster.Charter;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.RosterEncoding;
import io.hearth.identity.roster.RosterEntry;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Encodes {@link RosterMessage}s as messages of a link, kinds 56 to 58.
 *
 * <pre>
 * 56 summary = digest 32 | generation 4 | key id 8
 * 57 page    = charter length 4, 0 for none | charter | entries as in {@link RosterEncoding}
 * 58 secret  = charter length 4 | charter | secret 32
 * </pre>
 */
public final class RosterMessageEncoding {
    private static final int SUMMARY = 56;
    private static final int PAGE = 57;
    private static final int SECRET = 58;
    private static final int DIGEST_BYTES = 32;

    private RosterMessageEncoding() {}

    /** Whether {@link #decode} accepts that kind. */
    public static boolean isKind(int kind) {
        return kind >= SUMMARY && kind <= SECRET;
    }

    /** The kind of a message on a link. */
    public static int kind(RosterMessage message) {
        return switch (message) {
            case RosterMessage.Summary _ -> SUMMARY;
            case RosterMessage.Page _ -> PAGE;
            case RosterMessage.Secret _ -> SECRET;
        };
    }

    /** The bytes of a message; the caller sends those of a secret and does not keep them. */
    public static byte[] encode(RosterMessage message) {
        return switch (message) {
            case RosterMessage.Summary(var digest, int generation, var keyId) ->
                ByteBuffer.allocate(DIGEST_BYTES + Integer.BYTES + Charter.KEY_ID_BYTES)
                        .put(digest.toArray())
                        .putInt(generation)
                        .put(keyId.toArray())
                        .array();
            case RosterMessage.Page(var charter, var entries) ->
                joined(charter.map(RosterEncoding::encode).orElse(new byte[0]), RosterEncoding.encode(entries));
            case RosterMessage.Secret(var offer) ->
                joined(RosterEncoding.encode(offer.charter()), offer.secret().secret());
        };
    }

    /**
     * Reads a message.
     *
     * @param namespace of the link
     * @throws MalformedMessageException if the bytes are not such a message; names the reason
     */
    public static RosterMessage decode(String namespace, int kind, byte[] bytes) throws MalformedMessageException {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            return switch (kind) {
                case SUMMARY -> {
                    var summary = new RosterMessage.Summary(
                            Bytes.of(take(in, DIGEST_BYTES)), in.getInt(), Bytes.of(take(in, Charter.KEY_ID_BYTES)));
                    require(!in.hasRemaining() && summary.generation() >= 0, "summary");
                    yield summary;
                }
                case PAGE -> {
                    byte[] charter = charter(in);
                    List<RosterEntry> entries = RosterEncoding.entries(take(in, in.remaining()));
                    require(entries.size() <= RosterMessage.PAGE_ENTRIES_MAX, "number of entries");
                    yield new RosterMessage.Page(
                            charter.length == 0 ? Optional.empty() : Optional.of(RosterEncoding.charter(charter)),
                            entries);
                }
                case SECRET -> {
                    Charter charter = RosterEncoding.charter(charter(in));
                    byte[] secret = take(in, NetworkNamespace.SECRET_BYTES);
                    require(!in.hasRemaining(), "length of a secret");
                    var namespaceOf = NetworkNamespace.closed(namespace, charter.generation(), secret);
                    Arrays.fill(secret, (byte) 0);
                    yield new RosterMessage.Secret(new RosterBook.Offer(charter, namespaceOf));
                }
                default -> throw new MalformedMessageException("kind " + kind + " is not a roster message");
            };
        } catch (BufferUnderflowException | IllegalArgumentException broken) {
            throw new MalformedMessageException("a message of a roster is cut off or out of range", broken);
        }
    }

    /** Divides entries into pages. */
    static List<RosterMessage.Page> pages(Optional<Charter> charter, List<RosterEntry> entries) {
        var pages = new ArrayList<RosterMessage.Page>();
        for (int from = 0; from < entries.size() || from == 0; from += RosterMessage.PAGE_ENTRIES_MAX) {
            int to = Math.min(entries.size(), from + RosterMessage.PAGE_ENTRIES_MAX);
            pages.add(new RosterMessage.Page(from == 0 ? charter : Optional.empty(), entries.subList(from, to)));
        }
        return pages;
    }

    private static byte[] charter(ByteBuffer in) throws MalformedMessageException {
        int length = in.getInt();
        require(length >= 0 && length <= RosterEncoding.CHARTER_BYTES_MAX, "length of a charter");
        return take(in, length);
    }

    private static byte[] joined(byte[] charter, byte[] rest) {
        return ByteBuffer.allocate(Integer.BYTES + charter.length + rest.length)
                .putInt(charter.length)
                .put(charter)
                .put(rest)
                .array();
    }

    private static byte[] take(ByteBuffer in, int count) {
        if (count > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[count];
        in.get(bytes);
        return bytes;
    }

    private static void require(boolean holds, String what) throws MalformedMessageException {
        if (!holds) {
            throw new MalformedMessageException("the " + what + " is out of range");
        }
    }
}
