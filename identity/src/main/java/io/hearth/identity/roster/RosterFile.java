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
import java.util.Arrays;
import java.util.Optional;

/**
 * The file {@code roster-NAME} of a home: roster, secret and former secret of one namespace in one, so that no crash leaves a half of a
 * change. Mode 0600; replaced by rename and forced to the disk; changed under a lock that all processes of the home share.
 *
 * <pre>
 * "HROSTER1" | length of the roster 4 | roster | generation 4 | secret 32 | former's generation 4, 0 for none | secret 32 | SHA-256 of it all
 * </pre>
 *
 * <p>{@code namespace.toml} follows it: after a new secret is here, its line there is replaced too, and again at the next look if a
 * crash came between. A file that is damaged is reported and never replaced.
 */
public final class RosterFile {
    private static final byte[] MAGIC = {'H', 'R', 'O', 'S', 'T', 'E', 'R', '1'};
    private static final int SUM_BYTES = 32;
    private static final int SECRETS_BYTES = 2 * (Integer.BYTES + NetworkNamespace.SECRET_BYTES);
    private static final int BYTES_MAX =
            MAGIC.length + Integer.BYTES + RosterCodec.ROSTER_BYTES_MAX + SECRETS_BYTES + SUM_BYTES;

    private final HomeFile file;
    private final NamespaceFile namespaces;
    private final String name;

    private RosterFile(HomeFile file, NamespaceFile namespaces, String name) {
        this.file = file;
        this.namespaces = namespaces;
        this.name = name;
    }

    /** The file of the namespace of that name; nothing is read yet. */
    public static RosterFile in(HearthHome home, String name) {
        if (!NetworkNamespace.isName(name)) {
            throw new IllegalArgumentException("a namespace's name is 1 to 63 of a-z, 0-9 and '-'");
        }
        return new RosterFile(
                HomeFile.in(home, "roster-" + name, "roster-" + name + ".lock", BYTES_MAX),
                NamespaceFile.in(home),
                name);
    }

    /** A change of the book, made while no other process changes it. */
    @FunctionalInterface
    public interface Change {
        /** The book to store; the same one to store nothing. */
        RosterBook of(RosterBook book) throws SetupException;
    }

    /** Where it is. */
    public Path path() {
        return file.path();
    }

    /** What tells whether another process replaced the file since: cheap enough to ask for again and again. */
    public String version() {
        return file.version();
    }

    /**
     * What is stored, with the secret that this machine was given if none is newer here.
     *
     * @param given as {@code NamespaceLookup} finds it
     * @throws SetupException the file is damaged, or is of another secret than the given one; says what to do
     */
    public RosterBook load(NetworkNamespace given) throws SetupException {
        Optional<RosterBook> stored = stored();
        return stored.isEmpty() ? RosterBook.bySecret(given) : fitting(stored.get(), given);
    }

    /** What is stored, if anything is. */
    public Optional<RosterBook> stored() throws SetupException {
        Optional<byte[]> content = file.read();
        return content.isEmpty() ? Optional.empty() : Optional.of(decode(content.get()));
    }

    /**
     * Changes the book and has it on disk when this returns.
     *
     * @param given as for {@link #load}
     * @throws SetupException as {@link #load}, or from {@code change}; nothing was stored then
     */
    public RosterBook change(NetworkNamespace given, Change change) throws SetupException {
        return file.locked(() -> {
            RosterBook before = load(given);
            RosterBook after = change.of(before);
            if (after != before) {
                file.replace(encode(after));
            }
            follow(after);
            return after;
        });
    }

    /**
     * Stores a book in place of whatever was here: a person paired this machine.
     *
     * @throws SetupException it cannot be written
     */
    public void replace(RosterBook book) throws SetupException {
        var _ = file.locked(() -> {
            file.replace(encode(book));
            follow(book);
            return book;
        });
    }

    /** Has {@code namespace.toml} show the newest secret; for the next start if this process ends before. */
    private void follow(RosterBook book) throws SetupException {
        if (book.roster().charter().isPresent()) {
            namespaces.renew(book.current());
        }
    }

    private RosterBook fitting(RosterBook stored, NetworkNamespace given) throws SetupException {
        boolean isKnown = given.equals(stored.current())
                || stored.former().equals(Optional.of(given))
                || given.generation() < stored.current().generation();
        if (isKnown) {
            return stored;
        }
        throw new SetupException("the secret of namespace " + name + " (generation " + given.generation()
                + ") is not the"
                + " one of " + file.path() + " (generation " + stored.current().generation()
                + "): another secret was put in by hand; pair this machine again with 'hearth join', or move that"
                + " file away to begin with an empty roster");
    }

    private byte[] encode(RosterBook book) {
        byte[] roster = RosterCodec.encode(book.roster());
        var out = ByteBuffer.allocate(MAGIC.length + Integer.BYTES + roster.length + SECRETS_BYTES + SUM_BYTES);
        out.put(MAGIC).putInt(roster.length).put(roster);
        out.putInt(book.current().generation()).put(book.current().secret());
        out.putInt(book.former().map(NetworkNamespace::generation).orElse(0));
        out.put(book.former().map(NetworkNamespace::secret).orElse(new byte[NetworkNamespace.SECRET_BYTES]));
        byte[] all = out.array();
        return out.put(sum(all, all.length - SUM_BYTES).toArray()).array();
    }

    private RosterBook decode(byte[] content) throws SetupException {
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
            if (in.hasRemaining()) {
                throw damaged("it is too long");
            }
            return new RosterBook(RosterCodec.roster(name, encoded), current, former);
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
        var told = damaged(why);
        told.addSuppressed(cause);
        return told;
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
