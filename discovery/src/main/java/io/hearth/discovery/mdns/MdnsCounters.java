package io.hearth.discovery.mdns;

/**
 * What mDNS did and heard on one interface since it is in use, for {@code status} and for explaining silence. A service
 * counts again when it is heard anew after the instance was replaced, or after many others.
 *
 * @param interfaceName as the system calls it
 * @param address that the instance speaks from
 * @param sent packets handed to the network: queries, probes, announcements and answers
 * @param sendFailures packets that the system refused to send
 * @param lastFailure the system's words for the latest of those; empty when there was none
 * @param recordsHeard DNS records received from others and from this machine itself
 * @param dropped datagrams that were not judged: malformed, too large, too many, or not from this link
 * @param services Hearth services of others, whatever their namespace
 * @param foreign services of those whose tag is not this namespace's, or that is heard under too many names
 * @param members services of those whose tag is
 * @param restarted how often the instance was replaced because it was broken
 * @param restartReason of the latest of those; empty when there was none
 * @param sinceRestartNanos how long ago that was; 0 when there was none
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
