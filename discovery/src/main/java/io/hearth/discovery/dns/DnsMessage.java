package io.hearth.discovery.dns;

import java.util.List;

/**
 * The content of a well-formed message that mDNS discovery uses.
 *
 * @param questions empty in a response
 * @param records of the answer and the additional section; empty in a query, whose records are no answers: they are known answers, or names
 *     that the asker wants to own
 * @param recordsSeen all records, those of other types and sections too
 */
public record DnsMessage(boolean isResponse, List<DnsQuestion> questions, List<DnsRecord> records, int recordsSeen) {
    public DnsMessage {
        questions = List.copyOf(questions);
        records = List.copyOf(records);
    }
}
