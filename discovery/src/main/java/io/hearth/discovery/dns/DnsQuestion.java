package io.hearth.discovery.dns;

/**
 * A question of class IN.
 *
 * @param type as in {@link DnsType}, or any other number
 */
public record DnsQuestion(DnsName name, int type) {}
