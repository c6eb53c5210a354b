package io.hearth.discovery.dns;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads one mDNS message from an untrusted sender (RFC 1035, section 4; RFC 6762, section 18). A message is read to its last byte or
 * rejected as a whole.
 *
 * <pre>
 * header     id 2, flags 2, counts of questions, answers, authorities, additionals 2 each
 * question   name, type 2, class 2 (top bit: an answer to the asker alone is welcome)
 * record     name, type 2, class 2 (top bit: forget older ones), TTL 4, length 2, data
 * name       labels: length 1 (1 to 63), bytes; then 0, or a pointer 2 (top bits 11) to the rest of the name
 * </pre>
 *
 * <p>A pointer must lead to a position before the labels that it ends, so that no name can loop. Counts are checked before anything is
 * read, and nothing is allocated for a length that the message does not hold. Only queries and responses without an error are mDNS
 * messages. An answer of a resolver may be longer, and may report an error.
 */
public final class DnsReader {
    /** Longest message: the content of an Ethernet frame. A node's own announcement has less than 400 bytes. */
    public static final int MESSAGE_BYTES_MAX = 1_500;

    /** Most questions of a message. */
    public static final int QUESTIONS_MAX = 32;

    /** Most records of a message, all sections together. */
    public static final int RECORDS_MAX = 64;

    /** Longest data of a record of any type. */
    public static final int DATA_BYTES_MAX = 512;

    /** Longest answer of a resolver: its length has two bytes. */
    public static final int ANSWER_BYTES_MAX = 65_535;

    /** Most records of an answer of a resolver; more than fit into the longest one. */
    public static final int ANSWER_RECORDS_MAX = 8_192;

    private static final int POINTERS_MAX = 16;
    private static final int HEADER_BYTES = 12;
    private static final int RESPONSE = 0x8000;
    private static final int OPERATION = 0x7800;
    private static final int TRUNCATED = 0x0200;
    private static final int CODE = 0x000F;
    private static final int OPERATION_AND_ERROR = 0x780F;
    private static final int CLASS_IN = 1;
    private static final int CLASS_ANY = 255;
    private static final int CLASS_MASK = 0x7FFF;
    private static final int SERVICE_BYTES = 6; // priority, weight and port come before the name

    private final byte[] message;
    private final int length;
    private final boolean isAnswer;
    private final byte[] name = new byte[DnsName.BYTES_MAX];
    private int position;

    private DnsReader(byte[] message, int length, boolean isAnswer) {
        this.message = message;
        this.length = length;
        this.isAnswer = isAnswer;
    }

    /**
     * Reads a message.
     *
     * @param packet borrowed
     * @param length bytes of {@code packet} that are the message
     * @throws MalformedMessageException if the message breaks a rule; its text names the rule
     */
    public static DnsMessage read(byte[] packet, int length) throws MalformedMessageException {
        if (length < HEADER_BYTES || length > MESSAGE_BYTES_MAX || length > packet.length) {
            throw new MalformedMessageException(
                    "a message has " + HEADER_BYTES + " to " + MESSAGE_BYTES_MAX + " bytes");
        }
        return new DnsReader(packet, length, false).message();
    }

    /**
     * Reads the answer of a resolver to one question.
     *
     * @param packet borrowed
     * @param length bytes of {@code packet} that are the message
     * @throws MalformedMessageException as {@link #read}; a truncated answer may end within a record, which is left out
     */
    public static DnsAnswer answer(byte[] packet, int length) throws MalformedMessageException {
        if (length < HEADER_BYTES || length > ANSWER_BYTES_MAX || length > packet.length) {
            throw new MalformedMessageException("an answer has " + HEADER_BYTES + " to " + ANSWER_BYTES_MAX + " bytes");
        }
        return new DnsReader(packet, length, true).answer();
    }

    private DnsAnswer answer() throws MalformedMessageException {
        int id = unsignedShort();
        int flags = unsignedShort();
        int questions = unsignedShort();
        int answers = unsignedShort();
        int authorities = unsignedShort();
        int seen = answers + authorities + unsignedShort();
        if ((flags & RESPONSE) == 0 || (flags & OPERATION) != 0 || questions != 1) {
            throw new MalformedMessageException("no answer to one question");
        }
        if (seen > ANSWER_RECORDS_MAX) {
            throw new MalformedMessageException("more records than an answer may have");
        }
        var asked = new ArrayList<DnsQuestion>();
        question(asked);
        if (asked.isEmpty()) {
            throw new MalformedMessageException("a question of another class");
        }
        boolean isTruncated = (flags & TRUNCATED) != 0;
        var records = new ArrayList<DnsRecord>();
        var others = new ArrayList<DnsRecord>();
        try {
            for (int i = 0; i < seen; i++) {
                boolean isAuthority = i >= answers && i < answers + authorities;
                record(i < answers ? records : others, !isAuthority);
            }
        } catch (MalformedMessageException cut) {
            if (!isTruncated) {
                throw cut;
            }
        }
        return new DnsAnswer(id, flags & CODE, isTruncated, asked.getFirst(), records, others);
    }

    private DnsMessage message() throws MalformedMessageException {
        position = 2; // mDNS gives the id no meaning
        int flags = unsignedShort();
        int questions = unsignedShort();
        int answers = unsignedShort();
        int authorities = unsignedShort();
        int additionals = unsignedShort();
        int seen = answers + authorities + additionals;
        if ((flags & OPERATION_AND_ERROR) != 0) {
            throw new MalformedMessageException("neither a query nor a response without error");
        }
        if (questions > QUESTIONS_MAX || seen > RECORDS_MAX) {
            throw new MalformedMessageException("more questions or records than a message may have");
        }
        boolean isResponse = (flags & RESPONSE) != 0;
        var asked = new ArrayList<DnsQuestion>();
        for (int i = 0; i < questions; i++) {
            question(asked);
        }
        var records = new ArrayList<DnsRecord>();
        for (int i = 0; i < seen; i++) {
            boolean isAuthority = i >= answers && i < answers + authorities;
            record(records, isResponse != isAuthority); // what its sender announces, or is about to
        }
        if (position != length) {
            throw new MalformedMessageException("bytes are left behind the last record");
        }
        return new DnsMessage(isResponse, isResponse ? List.of() : asked, records, seen);
    }

    private void question(List<DnsQuestion> questions) throws MalformedMessageException {
        DnsName asked = name();
        int type = unsignedShort();
        int kind = unsignedShort() & CLASS_MASK;
        if (kind == CLASS_IN || kind == CLASS_ANY) {
            questions.add(new DnsQuestion(asked, type));
        }
    }

    private void record(List<DnsRecord> records, boolean counts) throws MalformedMessageException {
        DnsName owner = name();
        int type = unsignedShort();
        int kind = unsignedShort() & CLASS_MASK;
        long ttlSeconds = ((long) unsignedShort() << 16) | unsignedShort();
        int size = unsignedShort();
        if ((size > DATA_BYTES_MAX && !isAnswer) || size > length - position) {
            throw new MalformedMessageException("a record's data is too long, or longer than the message");
        }
        int end = position + size;
        if (kind == CLASS_IN && counts) {
            switch (type) {
                case DnsType.A -> records.add(new DnsRecord.Address(owner, ttlSeconds, address(size, 4)));
                case DnsType.AAAA -> records.add(new DnsRecord.Address(owner, ttlSeconds, address(size, 16)));
                case DnsType.TXT -> records.add(new DnsRecord.Text(owner, ttlSeconds, text(end)));
                case DnsType.SRV -> records.add(service(owner, ttlSeconds, end));
                case DnsType.CNAME -> {
                    if (isAnswer) {
                        records.add(new DnsRecord.Alias(owner, ttlSeconds, name()));
                    } else {
                        position = end;
                    }
                }
                default -> position = end;
            }
        } else {
            position = end;
        }
        if (position != end) {
            throw new MalformedMessageException("a record's length does not match its data");
        }
    }

    private Bytes address(int size, int expected) throws MalformedMessageException {
        if (size != expected) {
            throw new MalformedMessageException("an address has " + expected + " bytes");
        }
        return data(position + size);
    }

    private Bytes text(int end) throws MalformedMessageException {
        int at = position;
        while (at < end) {
            at += 1 + (message[at] & 0xFF);
        }
        if (at > end) {
            throw new MalformedMessageException("a text is longer than its record");
        }
        return data(end);
    }

    private DnsRecord service(DnsName owner, long ttlSeconds, int end) throws MalformedMessageException {
        if (end - position <= SERVICE_BYTES) {
            throw new MalformedMessageException("a service has a port and a host");
        }
        int priority = unsignedShort();
        int weight = unsignedShort();
        int port = unsignedShort();
        return new DnsRecord.Service(owner, ttlSeconds, priority, weight, port, name());
    }

    private Bytes data(int end) {
        byte[] data = new byte[end - position];
        System.arraycopy(message, position, data, 0, data.length);
        position = end;
        return Bytes.of(data);
    }

    /** Reads a name, and leaves the position behind it, or behind its first pointer. */
    private DnsName name() throws MalformedMessageException {
        int size = 0;
        int at = position;
        int start = position; // of the labels being read
        int behind = -1;
        int pointers = 0;
        while (true) {
            int label = at < length ? message[at++] & 0xFF : -1;
            if (label == 0) {
                break;
            }
            if (label < 0) {
                throw new MalformedMessageException("a name ends with the message");
            } else if (label <= DnsName.LABEL_BYTES_MAX) {
                if (label > length - at || size + 1 + label >= DnsName.BYTES_MAX) {
                    throw new MalformedMessageException("a label is longer than the message, or a name too long");
                }
                name[size++] = (byte) label;
                for (int i = 0; i < label; i++) {
                    byte letter = message[at++];
                    name[size++] = letter >= 'A' && letter <= 'Z' ? (byte) (letter + ('a' - 'A')) : letter;
                }
            } else if (label >= 0xC0 && at < length) {
                int target = ((label & 0x3F) << 8) | (message[at++] & 0xFF);
                if (behind < 0) {
                    behind = at;
                }
                if (target >= start || target < HEADER_BYTES || ++pointers > POINTERS_MAX) {
                    throw new MalformedMessageException("a pointer of a name does not lead back, or they are too many");
                }
                at = target;
                start = target;
            } else {
                throw new MalformedMessageException("a label of an unknown kind");
            }
        }
        position = behind < 0 ? at : behind;
        name[size++] = 0;
        return new DnsName(new String(name, 0, size, StandardCharsets.ISO_8859_1));
    }

    private int unsignedShort() throws MalformedMessageException {
        if (length - position < 2) {
            throw new MalformedMessageException("the message ends within a field");
        }
        int value = ((message[position] & 0xFF) << 8) | (message[position + 1] & 0xFF);
        position += 2;
        return value;
    }
}
