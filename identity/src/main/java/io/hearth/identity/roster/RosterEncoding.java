package io.hearth.identity.roster;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.PeerId;
import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Entries and charters as bytes, big-endian; one form for signing, links, the welcome of a pairing and the file.
 *
 * <pre>
 * entry   = 1 (version) | kind 1: 1 grant, 2 removal | subject 32 | by 32 | time 8 | how 1 | label length 1 | label | signature 64
 * charter = 1 (version) | generation 4 | key id 8 | issuer 32 | time 8
 *           | count 2 | members, 32 each, rising | count 2 | marks, 16 each, rising | signature 64
 * roster  = 1 (version) | root 32, 0 for none | charter length 4, 0 for none | charter | count 2 | entries, each behind its length as 2
 * words   = "hearth/1 roster" 0 name 0 and the entry or charter without its signature
 * </pre>
 *
 * <p>Decoding accepts exactly the bytes that encoding makes: it checks order, cleaned labels and empty fields, so equal entries have equal
 * bytes. It allocates by a length only after it compared the length with the remaining bytes.
 */
public final class RosterEncoding {
    /** Most bytes of a whole roster. */
    public static final int ROSTER_BYTES_MAX = 280 * 1024;

    /** Most bytes of a charter. */
    public static final int CHARTER_BYTES_MAX =
            121 + PeerId.KEY_BYTES * Roster.GRANTS_MAX + Charter.MARK_BYTES * Roster.ENTRIES_MAX;

    private static final byte VERSION = 1;
    private static final byte GRANT = 1;
    private static final byte REMOVAL = 2;
    private static final byte[] LABEL = "hearth/1 roster".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NO_ROOT = new byte[PeerId.KEY_BYTES];

    private RosterEncoding() {}

    /** The bytes that the signer of an entry signs. */
    public static byte[] words(String namespace, RosterEntry entry) {
        return words(namespace, body(entry));
    }

    /** The bytes that the issuer of a charter signs. */
    public static byte[] words(String namespace, Charter charter) {
        return words(namespace, body(charter));
    }

    /** Encodes an entry, to at most {@link RosterEntry#BYTES_MAX} bytes. */
    public static byte[] encode(RosterEntry entry) {
        return with(body(entry), entry.signature());
    }

    /** Encodes a charter, to at most {@link #CHARTER_BYTES_MAX} bytes. */
    public static byte[] encode(Charter charter) {
        return with(body(charter), charter.signature());
    }

    /** Encodes a roster, to at most {@link #ROSTER_BYTES_MAX} bytes. */
    public static byte[] encode(Roster roster) {
        var out = new ByteArrayOutputStream();
        out.write(VERSION);
        out.writeBytes(roster.root().map(PeerId::publicKey).orElse(NO_ROOT));
        byte[] charter = roster.charter().map(RosterEncoding::encode).orElse(new byte[0]);
        out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(charter.length).array());
        out.writeBytes(charter);
        out.writeBytes(encode(roster.entries()));
        return out.toByteArray();
    }

    /** Encodes a list of entries, each preceded by its length. */
    public static byte[] encode(List<RosterEntry> entries) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(two(entries.size()));
        for (RosterEntry entry : entries) {
            byte[] bytes = encode(entry);
            out.writeBytes(two(bytes.length));
            out.writeBytes(bytes);
        }
        return out.toByteArray();
    }

    /**
     * Decodes an entry.
     * @throws MalformedMessageException the bytes are not one entry as {@link #encode} writes it
     */
    public static RosterEntry entry(byte[] bytes) throws MalformedMessageException {
        return whole(bytes, RosterEntry.BYTES_MAX, RosterEncoding::readEntry);
    }

    /**
     * Decodes a charter.
     * @throws MalformedMessageException the bytes are not one charter as {@link #encode} writes it
     */
    public static Charter charter(byte[] bytes) throws MalformedMessageException {
        return whole(bytes, CHARTER_BYTES_MAX, RosterEncoding::readCharter);
    }

    /**
     * Decodes a list of entries.
     * @throws MalformedMessageException the bytes are not a list of entries as {@link #encode} writes it
     */
    public static List<RosterEntry> entries(byte[] bytes) throws MalformedMessageException {
        return whole(bytes, ROSTER_BYTES_MAX, RosterEncoding::readEntries);
    }

    /**
     * Decodes a roster of another machine. Does not check signatures: {@link Roster#merged} does.
     *
     * @throws MalformedMessageException the bytes are not a roster as {@link #encode} writes it
     */
    public static Roster roster(String namespace, byte[] bytes) throws MalformedMessageException {
        return whole(bytes, ROSTER_BYTES_MAX, in -> readRoster(namespace, in));
    }

    private interface Reader<T> {
        T read(ByteBuffer in) throws MalformedMessageException;
    }

    private static <T> T whole(byte[] bytes, int bytesMax, Reader<T> reader) throws MalformedMessageException {
        require(bytes.length <= bytesMax, "size");
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            T read = reader.read(in);
            require(!in.hasRemaining(), "length");
            return read;
        } catch (BufferUnderflowException | IllegalArgumentException broken) {
            throw new MalformedMessageException("a part of the roster is cut off or out of range", broken);
        }
    }

    private static Roster readRoster(String namespace, ByteBuffer in) throws MalformedMessageException {
        require(in.get() == VERSION, "version");
        Bytes root = Bytes.of(bytes(in, PeerId.KEY_BYTES));
        int length = in.getInt();
        require(length >= 0 && length <= CHARTER_BYTES_MAX, "length of the charter");
        Optional<Charter> charter = length == 0 ? Optional.empty() : Optional.of(charter(bytes(in, length)));
        Optional<PeerId> founder =
                root.equals(Bytes.of(NO_ROOT)) ? Optional.empty() : Optional.of(PeerId.of(root.toArray()));
        return new Roster(namespace, founder, charter, readEntries(in));
    }

    private static List<RosterEntry> readEntries(ByteBuffer in) throws MalformedMessageException {
        int count = Short.toUnsignedInt(in.getShort());
        require(count <= Roster.ENTRIES_MAX, "number of entries");
        var entries = new ArrayList<RosterEntry>();
        for (int i = 0; i < count; i++) {
            int length = Short.toUnsignedInt(in.getShort());
            require(length <= RosterEntry.BYTES_MAX, "length of an entry");
            entries.add(entry(bytes(in, length)));
        }
        return entries;
    }

    private static RosterEntry readEntry(ByteBuffer in) throws MalformedMessageException {
        require(in.get() == VERSION, "version of an entry");
        byte kind = in.get();
        PeerId subject = PeerId.of(bytes(in, PeerId.KEY_BYTES));
        PeerId by = PeerId.of(bytes(in, PeerId.KEY_BYTES));
        long epochMillis = in.getLong();
        int how = in.get();
        String label = text(bytes(in, Byte.toUnsignedInt(in.get())));
        Bytes signature = Bytes.of(bytes(in, Signatures.BYTES));
        if (kind == REMOVAL) {
            require(how == 0 && label.isEmpty(), "field of a removal");
            return new RosterEntry.Removal(subject, by, epochMillis, signature);
        }
        require(kind == GRANT, "kind of an entry");
        var grant = new RosterEntry.Grant(subject, by, label, how(how), epochMillis, signature);
        require(grant.label().equals(label), "label");
        return grant;
    }

    private static Charter readCharter(ByteBuffer in) throws MalformedMessageException {
        require(in.get() == VERSION, "version of the charter");
        int generation = in.getInt();
        Bytes keyId = Bytes.of(bytes(in, Charter.KEY_ID_BYTES));
        PeerId issuer = PeerId.of(bytes(in, PeerId.KEY_BYTES));
        long epochMillis = in.getLong();
        int members = Short.toUnsignedInt(in.getShort());
        require(members <= Roster.GRANTS_MAX, "number of members");
        var in0 = new ArrayList<PeerId>();
        for (int i = 0; i < members; i++) {
            in0.add(PeerId.of(bytes(in, PeerId.KEY_BYTES)));
        }
        int marks = Short.toUnsignedInt(in.getShort());
        require(marks <= Roster.ENTRIES_MAX, "number of removed machines");
        var out = new ArrayList<Bytes>();
        for (int i = 0; i < marks; i++) {
            out.add(Bytes.of(bytes(in, Charter.MARK_BYTES)));
        }
        var charter =
                new Charter(generation, keyId, issuer, epochMillis, in0, out, Bytes.of(bytes(in, Signatures.BYTES)));
        require(charter.members().equals(in0) && charter.removed().equals(out), "order");
        return charter;
    }

    private static byte[] body(RosterEntry entry) {
        byte[] label = switch (entry) {
            case RosterEntry.Grant grant -> grant.label().getBytes(StandardCharsets.UTF_8);
            case RosterEntry.Removal _ -> new byte[0];
        };
        var out = ByteBuffer.allocate(76 + label.length);
        out.put(VERSION).put(entry instanceof RosterEntry.Grant ? GRANT : REMOVAL);
        out.put(entry.subject().publicKey()).put(entry.by().publicKey()).putLong(entry.epochMillis());
        out.put((byte) (entry instanceof RosterEntry.Grant grant ? grant.how().code() : 0));
        return out.put((byte) label.length).put(label).array();
    }

    private static byte[] body(Charter charter) {
        var out = ByteBuffer.allocate(57
                + PeerId.KEY_BYTES * charter.members().size()
                + Charter.MARK_BYTES * charter.removed().size());
        out.put(VERSION).putInt(charter.generation()).put(charter.keyId().toArray());
        out.put(charter.issuer().publicKey()).putLong(charter.epochMillis());
        out.putShort((short) charter.members().size());
        charter.members().forEach(member -> out.put(member.publicKey()));
        out.putShort((short) charter.removed().size());
        charter.removed().forEach(mark -> out.put(mark.toArray()));
        return out.array();
    }

    private static byte[] words(String namespace, byte[] body) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(LABEL);
        out.write(0);
        out.writeBytes(namespace.getBytes(StandardCharsets.US_ASCII));
        out.write(0);
        out.writeBytes(body);
        return out.toByteArray();
    }

    private static byte[] with(byte[] body, Bytes signature) {
        return ByteBuffer.allocate(body.length + signature.size())
                .put(body)
                .put(signature.toArray())
                .array();
    }

    private static byte[] two(int number) {
        return ByteBuffer.allocate(Short.BYTES).putShort((short) number).array();
    }

    private static byte[] bytes(ByteBuffer in, int count) {
        if (count > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] read = new byte[count];
        in.get(read);
        return read;
    }

    private static String text(byte[] utf8) throws MalformedMessageException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(utf8))
                    .toString();
        } catch (CharacterCodingException broken) {
            throw new MalformedMessageException("a label is not UTF-8", broken);
        }
    }

    private static GrantKind how(int code) throws MalformedMessageException {
        for (GrantKind how : GrantKind.values()) {
            if (how.code() == code) {
                return how;
            }
        }
        throw new MalformedMessageException("the way in which a machine was granted is unknown");
    }

    private static void require(boolean holds, String what) throws MalformedMessageException {
        if (!holds) {
            throw new MalformedMessageException("the " + what + " is out of range");
        }
    }
}
