package io.hearth.discovery.mdns;

/**
 * Counters of mDNS on one interface since it is in use, for {@code status} and {@link NoPeersDiagnosis}. A service counts again when it is
 * heard after the instance was replaced, or after many others.
 *
 * @param interfaceName as the system calls it
 * @param address source address of the instance
 * @param sent packets handed to the network: queries, probes, announcements and answers
 * @param sendFailures packets that the system did not send
 * @param lastFailure the system's message for the latest failure; empty when there was none
 * @param recordsHeard DNS records received from others and from this machine itself
 * @param dropped datagrams that were rejected: malformed, too large, over the rate limit, or not from this link
 * @param services Hearth services of other nodes, of any namespace
 * @param foreign those services whose tag is not of this namespace, or whose member has too many names
 * @param members those services whose tag is of this namespace
 * @param restarted how often the instance was replaced because it was broken
 * @param restartReason reason of the latest restart; empty when there was none
 * @param sinceRestartNanos time since the latest restart; 0 when there was none
 */
public record MdnsCounters(
        String interfaceName,
        String address,
        long sent,
        long sendFailures,
        String lastFailure,
        long recordsHeard,
        long dropped,
        long services,
        long foreign,
        long members,
        long restarted,
        String restartReason,
        long sinceRestartNanos) {}
