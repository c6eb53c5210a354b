package io.hearth.discovery.dns;

import java.util.List;

/**
 * The content of a well-formed message that mDNS discovery uses.
 *
 * @param questions empty in a response
 * @param records of a response its answers and additional records; of a query its authorities, which the asker is about to announce (RFC
 *     6762, section 8.2). A query's other records are answers that the asker knows already.
 * @param recordsSeen all records, those of other types and sections too
 */
public record DnsMessage(boolean isResponse, List<DnsQuestion> questions, List<DnsRecord> records, int recordsSeen) {
    public DnsMessage {
        questions = List.copyOf(questions);
        records = List.copyOf(records);
    }
}
