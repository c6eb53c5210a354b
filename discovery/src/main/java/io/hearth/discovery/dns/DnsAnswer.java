package io.hearth.discovery.dns;

import java.util.List;

/**
 * A well-formed answer of a resolver to one question.
 *
 * @param id of the query that it answers
 * @param code 0 without an error, else one of RFC 1035 and its successors, at most 15
 * @param isTruncated whether records are missing because the message would be too long
 * @param question that it answers
 * @param records of the answer section
 * @param others of the additional section, such as the addresses of the targets of SRV records
 */
public record DnsAnswer(
        int id, int code, boolean isTruncated, DnsQuestion question, List<DnsRecord> records, List<DnsRecord> others) {
    /** No error. */
    public static final int OK = 0;

    /** There is no such name. */
    public static final int NO_SUCH_NAME = 3;

    public DnsAnswer {
        records = List.copyOf(records);
        others = List.copyOf(others);
    }
}
