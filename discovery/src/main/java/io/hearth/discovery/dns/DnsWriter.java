package io.hearth.discovery.dns;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes queries, without compression. */
public final class DnsWriter {
    private static final int RECURSION_DESIRED = 0x0100;

    private DnsWriter() {}

    /**
     * A query to a resolver, which it answers completely (recursion desired).
     *
     * @param id of the query, 0 to 65,535; its answer has the same
     */
    public static byte[] query(int id, DnsQuestion question) {
        return message(id, RECURSION_DESIRED, List.of(question));
    }

    /** An mDNS query with these questions, without known answers. Its answers are multicast. */
    public static byte[] query(List<DnsQuestion> questions) {
        return message(0, 0, questions);
    }

    private static byte[] message(int id, int flags, List<DnsQuestion> questions) {
        var bytes = new ByteArrayOutputStream();
        for (int word : new int[] {id, flags, questions.size(), 0, 0, 0}) {
            unsignedShort(bytes, word);
        }
        for (DnsQuestion question : questions) {
            bytes.writeBytes(question.name().wire().getBytes(StandardCharsets.ISO_8859_1));
            unsignedShort(bytes, question.type());
            unsignedShort(bytes, 1); // class IN
        }
        return bytes.toByteArray();
    }

    private static void unsignedShort(ByteArrayOutputStream bytes, int value) {
        bytes.write(value >>> 8);
        bytes.write(value);
    }
}
