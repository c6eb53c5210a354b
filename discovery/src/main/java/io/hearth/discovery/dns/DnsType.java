package io.hearth.discovery.dns;

/** Numbers of the record types that discovery knows (RFC 1035, 2782, 3596). */
public final class DnsType {
    public static final int A = 1;
    public static final int CNAME = 5;
    public static final int PTR = 12;
    public static final int TXT = 16;
    public static final int AAAA = 28;
    public static final int SRV = 33;
    public static final int ANY = 255;

    private DnsType() {}
}
