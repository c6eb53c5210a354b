package io.hearth.identity.roster;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.HomeFile;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The file {@code roster-NAME} of a home: roster, secret and former secret of one namespace in one file, so that a crash leaves a whole
 * change or nothing of it. It has mode 0600, is replaced by rename and forced to the disk, and is changed under a lock that all processes
 * of the home share.
 *
 * <pre>
 * "HROSTER1" | length of the roster 4 | roster | generation 4 | secret 32 | former's generation 4, 0 for none | secret 32
 *     | key ids of older secrets 8 each, newest first | SHA-256 of all before
 * </pre>
 *
 * <p>By the key ids, Hearth distinguishes an older secret of this namespace, which {@code namespace.toml} or an environment variable may
 * still hold, from a secret of another namespace of the same name.
 *
 * <p>{@code namespace.toml} follows this file: after a new secret is stored here, its line there is replaced too, or at the next change if
 * a crash came between. A damaged file is reported and never replaced.
 */
public final class RosterFile {
    private static final byte[] MAGIC = {'H', 'R', 'O', 'S', 'T', 'E', 'R', '1'};
    private static final int SUM_BYTES = 32;
    private static final int SECRETS_BYTES = 2 * (Integer.BYTES + NetworkNamespace.SECRET_BYTES);
    private static final int OLDER_MAX = 256;
    private static final int BYTES_MAX = MAGIC.length
            + Integer.BYTES
            + RosterEncoding.ROSTER_BYTES_MAX
            + SECRETS_BYTES
            + OLDER_MAX * Charter.KEY_ID_BYTES
            + SUM_BYTES;

    private final HomeFile file;
    private final NamespaceFile namespaces;
    private final String name;

    private RosterFile(HomeFile file, NamespaceFile namespaces, String name) {
        this.file = file;
        this.namespaces = namespaces;
        this.name = name;
    }

    /** The file of the namespace of that name; reads nothing yet. */
    public static RosterFile in(HearthHome home, String name) {
        if (!NetworkNamespace.isName(name)) {
            throw new IllegalArgumentException("a namespace's name must be 1 to 63 characters of a-z, 0-9 and '-'");
        }
        return new RosterFile(
                HomeFile.in(home, "roster-" + name, "roster-" + name + ".lock", BYTES_MAX),
                NamespaceFile.in(home),
                name);
    }

    /** A change of the book, made while no other process changes it. */
    @FunctionalInterface
    public interface Change {
        /** Returns the book to store, or the same book to store nothing. */
        RosterBook of(RosterBook book) throws SetupException;
    }

    /** The path of the file. */
    public Path path() {
        return file.path();
    }

    /** A text that changes when another process replaces the file; cheap enough to poll. */
    public String version() {
        return file.version();
    }

    /**
     * The stored book, or a book with only the given secret if nothing is stored.
     *
     * @param given as {@code NamespaceLookup} finds it
     * @throws SetupException if the file is damaged, or does not know the given secret; names the remedy
     */
    public RosterBook load(NetworkNamespace given) throws SetupException {
        Optional<Kept> kept = kept();
        return kept.isEmpty() ? RosterBook.bySecret(given) : fitting(kept.get(), given);
    }

    /** The stored book, if there is one. */
    public Optional<RosterBook> stored() throws SetupException {
        return kept().map(Kept::book);
    }

    private Optional<Kept> kept() throws SetupException {
        Optional<byte[]> content = file.read();
        return content.isEmpty() ? Optional.empty() : Optional.of(decode(content.get()));
    }

    /** A book, and the key ids of older secrets that it no longer holds, the newest first. */
    private record Kept(RosterBook book, List<Bytes> older) {
        boolean knows(NetworkNamespace given) {
            return given.equals(book.current())
                    || book.former().equals(Optional.of(given))
                    || older.contains(RosterBook.keyId(given));
        }

        Kept next(RosterBook after) {
            var all = new ArrayList<Bytes>();
            all.add(book.keyId());
            book.formerKeyId().ifPresent(all::add);
            all.addAll(older);
            all.remove(after.keyId());
            return new Kept(after, all.stream().distinct().limit(OLDER_MAX).toList());
        }
    }

    /**
     * Changes the book; the change is on disk when this returns.
     *
     * @param given as for {@link #load}
     * @throws SetupException as {@link #load}, or from {@code change}; nothing is stored then
     */
    public RosterBook change(NetworkNamespace given, Change change) throws SetupException {
        return changed(given, change).book();
    }

    /** The book after a change, and the file's {@link #version} then. */
    public record Changed(RosterBook book, String version) {}

    /** As {@link #change}, for a caller that polls the version: it differs once another process stores something after this change. */
    public Changed changed(NetworkNamespace given, Change change) throws SetupException {
        return file.locked(() -> {
            Optional<Kept> kept = kept();
            RosterBook before = kept.isEmpty() ? RosterBook.bySecret(given) : fitting(kept.get(), given);
            RosterBook after = change.of(before);
            if (after != before) {
                namespaces.requireRenewable(
                        after.current()); // before the write: otherwise a stored change would be reported as a failure
                file.replace(
                        encode(kept.map(former -> former.next(after)).orElseGet(() -> new Kept(after, List.of()))));
            }
            follow(after);
            return new Changed(after, file.version());
        });
    }

    /**
     * Moves the file away if it does not know that secret, because a person began another namespace of this name.
     *
     * @return whether it was moved
     * @throws SetupException if it is damaged, or cannot be moved
     */
    public boolean setAsideUnless(NetworkNamespace given) throws SetupException {
        return file.locked(() -> {
            Optional<Kept> kept = kept();
            boolean isOther = kept.isPresent() && !kept.get().knows(given);
            if (isOther) {
                file.setAside();
            }
            return isOther;
        });
    }

    /**
     * Stores a book in place of the former one, after a person paired this machine.
     *
     * @param merge makes the new book from the former one, if there is one
     * @throws SetupException if it cannot be written
     */
    public RosterBook replace(Function<Optional<RosterBook>, RosterBook> merge) throws SetupException {
        return file.locked(() -> {
            Optional<Kept> kept = kept();
            RosterBook after = merge.apply(kept.map(Kept::book));
            file.replace(encode(kept.map(former -> former.next(after)).orElseGet(() -> new Kept(after, List.of()))));
            follow(after);
            return after;
        });
    }

    /** Writes the newest secret to {@code namespace.toml}. */
    private void follow(RosterBook book) throws SetupException {
        if (book.roster().charter().isPresent()) {
            namespaces.renew(book.current());
        }
    }

    private RosterBook fitting(Kept kept, NetworkNamespace given) throws SetupException {
        RosterBook stored = kept.book();
        if (kept.knows(given)) {
            return stored;
        }
        throw new SetupException("the secret of namespace " + name + " (generation " + given.generation()
                + ") is not the"
                + " one of " + file.path() + " (generation " + stored.current().generation()
                + "): another secret was put in by hand; pair this machine again with 'hearth join', or move that"
                + " file away to begin with an empty roster");
    }

    private byte[] encode(Kept kept) {
        RosterBook book = kept.book();
        byte[] roster = RosterEncoding.encode(book.roster());
        int older = kept.older().size() * Charter.KEY_ID_BYTES;
        var out = ByteBuffer.allocate(MAGIC.length + Integer.BYTES + roster.length + SECRETS_BYTES + older + SUM_BYTES);
        out.put(MAGIC).putInt(roster.length).put(roster);
        out.putInt(book.current().generation()).put(book.current().secret());
        out.putInt(book.former().map(NetworkNamespace::generation).orElse(0));
        out.put(book.former().map(NetworkNamespace::secret).orElse(new byte[NetworkNamespace.SECRET_BYTES]));
        kept.older().forEach(keyId -> out.put(keyId.toArray()));
        byte[] all = out.array();
        return out.put(sum(all, all.length - SUM_BYTES).toArray()).array();
    }

    private Kept decode(byte[] content) throws SetupException {
        try {
            int body = content.length - SUM_BYTES;
            if (body < 0 || !sum(content, body).equals(Bytes.of(Arrays.copyOfRange(content, body, content.length)))) {
                throw damaged("its checksum is wrong");
            }
            var in = ByteBuffer.wrap(content, 0, body);
            byte[] magic = new byte[MAGIC.length];
            in.get(magic);
            if (!Bytes.of(magic).equals(Bytes.of(MAGIC))) {
                throw new SetupException("cannot use " + file.path()
                        + ": it was written by another version of Hearth; update Hearth on this machine");
            }
            int length = in.getInt();
            if (length < 0 || length > in.remaining()) {
                throw damaged("a length is out of range");
            }
            byte[] encoded = new byte[length];
            in.get(encoded);
            NetworkNamespace current = secret(in).orElseThrow(() -> damaged("it has no secret"));
            Optional<NetworkNamespace> former = secret(in);
            if (in.remaining() % Charter.KEY_ID_BYTES != 0 || in.remaining() > OLDER_MAX * Charter.KEY_ID_BYTES) {
                throw damaged("it is too long");
            }
            var older = new ArrayList<Bytes>();
            while (in.hasRemaining()) {
                byte[] keyId = new byte[Charter.KEY_ID_BYTES];
                in.get(keyId);
                older.add(Bytes.of(keyId));
            }
            return new Kept(new RosterBook(RosterEncoding.roster(name, encoded), current, former), List.copyOf(older));
        } catch (MalformedMessageException | BufferUnderflowException | IllegalArgumentException broken) {
            throw damaged(String.valueOf(broken.getMessage()), broken);
        }
    }

    private Optional<NetworkNamespace> secret(ByteBuffer in) {
        int generation = in.getInt();
        byte[] secret = new byte[NetworkNamespace.SECRET_BYTES];
        in.get(secret);
        Optional<NetworkNamespace> read =
                generation == 0 ? Optional.empty() : Optional.of(NetworkNamespace.closed(name, generation, secret));
        Arrays.fill(secret, (byte) 0);
        return read;
    }

    private SetupException damaged(String why, Exception cause) {
        var damage = damaged(why);
        damage.addSuppressed(cause);
        return damage;
    }

    private SetupException damaged(String why) {
        return new SetupException(file.path() + " is damaged: " + why
                + "; put a backup of it back, or move it away and pair this machine again with 'hearth join'");
    }

    private static Bytes sum(byte[] bytes, int count) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update(bytes, 0, count);
            return Bytes.of(digest.digest());
        } catch (NoSuchAlgorithmException missing) {
            throw new AssertionError("every JDK 25 has SHA-256", missing);
        }
    }
}
