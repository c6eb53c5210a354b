package io.hearth.discovery.dns;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes mDNS messages, without compression. */
public final class DnsWriter {
    private DnsWriter() {}

    /** A query with these questions, without known answers. Its answers are multicast. */
    public static byte[] query(List<DnsQuestion> questions) {
        var bytes = new ByteArrayOutputStream();
        for (int word : new int[] {0, 0, questions.size(), 0, 0, 0}) {
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
