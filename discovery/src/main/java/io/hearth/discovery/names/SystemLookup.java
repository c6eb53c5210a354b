package io.hearth.discovery.names;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.discovery.dns.DnsAnswer;
import io.hearth.discovery.dns.DnsName;
import io.hearth.discovery.dns.DnsQuestion;
import io.hearth.discovery.dns.DnsRecord;
import io.hearth.discovery.dns.DnsType;
import io.hearth.discovery.names.DnsClient.Reply;
import io.hearth.discovery.names.machine.NameAnswer;
import io.hearth.discovery.names.machine.NameQuestion;
import io.hearth.discovery.names.machine.ResolverSettings;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Looks names up as this machine does. Hosts go to its resolver, which also knows its file of hosts and mDNS. Questions for DNS go to its
 * DNS servers, because the JDK's resolver tells neither SRV records nor TTLs.
 */
public final class SystemLookup implements NameLookup {
    /** Time for each server, by UDP and again by TCP. */
    static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final int ALIASES_MAX = 16;

    private final DnsClient client;

    /** A lookup that asks the DNS servers that {@code settings} names at that time. */
    public SystemLookup(Supplier<ResolverSettings> settings, Clock clock) {
        this(settings, clock, TIMEOUT_NANOS);
    }

    SystemLookup(Supplier<ResolverSettings> settings, Clock clock, long timeoutNanos) {
        client = new DnsClient(settings, timeoutNanos, clock);
    }

    @Override
    public NameAnswer ask(NameQuestion question) {
        return switch (question.kind()) {
            case HOST -> host(question.name());
            case ADDRESSES -> addresses(question.name());
            case SERVICE -> services(question.name());
        };
    }

    private static NameAnswer host(String name) {
        try {
            return new NameAnswer.Addresses(
                    Arrays.stream(InetAddress.getAllByName(name))
                            .map(InetAddress::getHostAddress)
                            .toList(),
                    OptionalLong.empty());
        } catch (UnknownHostException unknown) {
            return new NameAnswer.Failed("it cannot be resolved: " + unknown.getMessage());
        }
    }

    private NameAnswer addresses(String name) {
        NameAnswer four = addresses(name, DnsType.A);
        if (four instanceof NameAnswer.Failed || Thread.currentThread().isInterrupted()) {
            return four;
        }
        NameAnswer six = addresses(name, DnsType.AAAA);
        if (!(four instanceof NameAnswer.Addresses fours)) {
            return six;
        }
        if (!(six instanceof NameAnswer.Addresses sixes)) {
            return four; // a server that knows no AAAA records does no harm
        }
        var both = new ArrayList<>(fours.literals());
        both.addAll(sixes.literals());
        return new NameAnswer.Addresses(both, shorter(fours.ttlSeconds(), sixes.ttlSeconds()));
    }

    private NameAnswer addresses(String name, int type) {
        DnsName asked = DnsName.dotted(name);
        return switch (client.ask(new DnsQuestion(asked, type))) {
            case Reply.None(String why) -> new NameAnswer.Failed(why);
            case Reply.Answered(DnsAnswer answer)
            when answer.code() == DnsAnswer.NO_SUCH_NAME -> new NameAnswer.Absent("no such name " + name);
            case Reply.Answered(DnsAnswer answer) -> {
                Aliases aliases = aliases(asked, answer.records());
                var literals = new ArrayList<String>();
                OptionalLong ttl = aliases.ttlSeconds();
                for (DnsRecord record : answer.records()) {
                    if (record instanceof DnsRecord.Address address
                            && aliases.names().contains(address.name())) {
                        literal(address.address()).ifPresent(literals::add);
                        ttl = shorter(ttl, OptionalLong.of(address.ttlSeconds()));
                    }
                }
                yield literals.isEmpty()
                        ? new NameAnswer.Absent(name + aliases.circle() + " has no address of a host")
                        : new NameAnswer.Addresses(literals, ttl);
            }
        };
    }

    private NameAnswer services(String name) {
        DnsName asked = DnsName.dotted(name);
        return switch (client.ask(new DnsQuestion(asked, DnsType.SRV))) {
            case Reply.None(String why) -> new NameAnswer.Failed(why);
            case Reply.Answered(DnsAnswer answer)
            when answer.code() == DnsAnswer.NO_SUCH_NAME -> new NameAnswer.Absent("no such name " + name);
            case Reply.Answered(DnsAnswer answer) -> {
                Aliases aliases = aliases(asked, answer.records());
                Map<DnsName, List<String>> known = literals(answer.others());
                var locations = new ArrayList<NameAnswer.Location>();
                OptionalLong ttl = aliases.ttlSeconds();
                for (DnsRecord record : answer.records()) {
                    if (record instanceof DnsRecord.Service service
                            && aliases.names().contains(service.name())
                            && service.port() > 0
                            && service.host().text().isPresent()) { // the root means: no such service here
                        locations.add(new NameAnswer.Location(
                                service.priority(),
                                service.weight(),
                                service.port(),
                                service.host().text().get(),
                                known.getOrDefault(service.host(), List.of())));
                        ttl = shorter(ttl, OptionalLong.of(service.ttlSeconds()));
                    }
                }
                yield locations.isEmpty()
                        ? new NameAnswer.Absent(name + aliases.circle() + " has no SRV record with a host and a port")
                        : new NameAnswer.Services(locations, ttl);
            }
        };
    }

    /** A name with all its aliases in one answer. */
    private record Aliases(Set<DnsName> names, OptionalLong ttlSeconds, boolean isCircle) {
        String circle() {
            return isCircle ? " is an alias in a circle and" : "";
        }
    }

    private static Aliases aliases(DnsName asked, List<DnsRecord> records) {
        var targets = new HashMap<DnsName, DnsRecord.Alias>();
        for (DnsRecord record : records) {
            if (record instanceof DnsRecord.Alias alias) {
                targets.putIfAbsent(alias.name(), alias);
            }
        }
        var names = new HashSet<>(Set.of(asked));
        OptionalLong ttl = OptionalLong.empty();
        DnsRecord.Alias next = targets.get(asked);
        while (next != null && names.size() <= ALIASES_MAX) {
            if (!names.add(next.target())) {
                return new Aliases(names, ttl, true);
            }
            ttl = shorter(ttl, OptionalLong.of(next.ttlSeconds()));
            next = targets.get(next.target());
        }
        return new Aliases(names, ttl, false);
    }

    private static Map<DnsName, List<String>> literals(List<DnsRecord> records) {
        var literals = new HashMap<DnsName, List<String>>();
        for (DnsRecord record : records) {
            if (record instanceof DnsRecord.Address address) {
                literal(address.address())
                        .ifPresent(literal -> literals.computeIfAbsent(address.name(), _ -> new ArrayList<>())
                                .add(literal));
            }
        }
        return literals;
    }

    /** The literal of an address at which a host can listen; a link-local one has no meaning without its interface. */
    private static Optional<String> literal(Bytes bytes) {
        InetAddress address;
        try {
            address = InetAddress.getByAddress(bytes.toArray());
        } catch (UnknownHostException wrongLength) {
            throw new IllegalArgumentException("an address has 4 or 16 bytes", wrongLength);
        }
        boolean isHost = !address.isAnyLocalAddress()
                && !address.isMulticastAddress()
                && !(address instanceof Inet6Address && address.isLinkLocalAddress())
                && !address.getHostAddress().equals("255.255.255.255");
        return isHost ? Optional.of(address.getHostAddress()) : Optional.empty();
    }

    private static OptionalLong shorter(OptionalLong one, OptionalLong other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isEmpty() ? other : one;
        }
        return OptionalLong.of(Math.min(one.getAsLong(), other.getAsLong()));
    }
}
