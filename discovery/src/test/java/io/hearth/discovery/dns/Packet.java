package io.hearth.discovery.dns;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Writes any DNS message, right or wrong, byte by byte. */
public final class Packet {
    private static final int ANSWERS = 1;
    private static final int AUTHORITIES = 2;

    private final int flags;
    private final int section; // of its records
    private final int[] counts = new int[4];
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();

    private Packet(int flags, int section) {
        this.flags = flags;
        this.section = section;
    }

    public static Packet response() {
        return new Packet(0x8400, ANSWERS);
    }

    public static Packet query() {
        return new Packet(0, ANSWERS);
    }

    /** A query whether names are free, with the records that the asker wants to own. */
    public static Packet probe() {
        return new Packet(0, AUTHORITIES);
    }

    static Packet flagged(int flags) {
        return new Packet(flags, ANSWERS);
    }

    /** A name without compression. */
    public static byte[] name(String... labels) {
        var bytes = new ByteArrayOutputStream();
        for (String label : labels) {
            bytes.write(label.length());
            bytes.writeBytes(label.getBytes(StandardCharsets.ISO_8859_1));
        }
        bytes.write(0);
        return bytes.toByteArray();
    }

    /** A name whose labels have no dots. */
    public static byte[] dotted(String name) {
        return name(name.split("\\.", 16));
    }

    public static byte[] text(Map<String, String> entries) {
        var text = new ByteArrayOutputStream();
        entries.forEach((key, value) -> {
            text.write(key.length() + 1 + value.length());
            text.writeBytes((key + "=" + value).getBytes(StandardCharsets.US_ASCII));
        });
        return text.toByteArray();
    }

    public Packet ask(byte[] name, int type) {
        counts[0]++;
        body.writeBytes(name);
        word(body, type);
        word(body, 1);
        return this;
    }

    public Packet ask(String name, int type) {
        return ask(dotted(name), type);
    }

    public Packet record(byte[] owner, int type, long ttlSeconds, byte... data) {
        return record(section, owner, type, ttlSeconds, data.length, data);
    }

    /** A record of an answer (1), an authority (2) or an additional (3). The length may differ from that of the data. */
    public Packet record(int section, byte[] owner, int type, long ttlSeconds, int length, byte... data) {
        counts[section]++;
        body.writeBytes(owner);
        word(body, type);
        word(body, 0x8001);
        word(body, (int) (ttlSeconds >>> 16));
        word(body, (int) ttlSeconds);
        word(body, length);
        body.writeBytes(data);
        return this;
    }

    public Packet srv(String owner, long ttlSeconds, int port, String host) {
        return record(dotted(owner), DnsType.SRV, ttlSeconds, service(port, dotted(host)));
    }

    static byte[] service(int port, byte[] host) {
        var data = new ByteArrayOutputStream();
        data.writeBytes(new byte[4]);
        word(data, port);
        data.writeBytes(host);
        return data.toByteArray();
    }

    public Packet txt(String owner, long ttlSeconds, Map<String, String> entries) {
        return record(dotted(owner), DnsType.TXT, ttlSeconds, text(entries));
    }

    public Packet ptr(String owner, long ttlSeconds, String target) {
        return record(dotted(owner), DnsType.PTR, ttlSeconds, dotted(target));
    }

    public Packet address(String host, long ttlSeconds, byte... address) {
        return record(dotted(host), address.length == 4 ? DnsType.A : DnsType.AAAA, ttlSeconds, address);
    }

    public Packet raw(byte... bytes) {
        body.writeBytes(bytes);
        return this;
    }

    /** Adds {@code more} to the count of a section, without records for it. */
    Packet lie(int section, int more) {
        counts[section] += more;
        return this;
    }

    public byte[] bytes() {
        var bytes = new ByteArrayOutputStream();
        word(bytes, 0);
        word(bytes, flags);
        for (int count : counts) {
            word(bytes, count);
        }
        bytes.writeBytes(body.toByteArray());
        return bytes.toByteArray();
    }

    private static void word(ByteArrayOutputStream bytes, int value) {
        bytes.write(value >>> 8);
        bytes.write(value);
    }
}
