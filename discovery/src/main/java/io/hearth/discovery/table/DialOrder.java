package io.hearth.discovery.table;

import io.hearth.discovery.Candidate;
import io.hearth.discovery.Medium;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The order in which the addresses of one peer are dialled: better medium first, and within a medium IPv4 and IPv6 in turn. So a broken
 * address family costs one attempt and not all of them (RFC 8305, section 4).
 */
final class DialOrder {
    private DialOrder() {}

    /** A permutation of {@code candidates}; equals keep their order. */
    static List<Candidate> of(List<Candidate> candidates) {
        var ordered = new ArrayList<Candidate>(candidates.size());
        for (Medium medium : Medium.values()) {
            var ipv4 = new ArrayDeque<Candidate>();
            var ipv6 = new ArrayDeque<Candidate>();
            for (Candidate candidate : candidates) {
                if (candidate.medium() == medium) {
                    (candidate.address().isIpv6() ? ipv6 : ipv4).add(candidate);
                }
            }
            while (!ipv4.isEmpty() || !ipv6.isEmpty()) {
                if (!ipv4.isEmpty()) {
                    ordered.add(ipv4.remove());
                }
                if (!ipv6.isEmpty()) {
                    ordered.add(ipv6.remove());
                }
            }
        }
        return ordered;
    }
}
