package io.hearth.discovery.names.machine;

import java.util.List;
import java.util.OptionalLong;

/** The outcome of one {@link NameQuestion}. */
public sealed interface NameAnswer {
    /**
     * Addresses of the name.
     *
     * @param literals at least one, each an IPv4 or IPv6 literal
     * @param ttlSeconds time for which they are valid; empty if the resolver does not say
     */
    record Addresses(List<String> literals, OptionalLong ttlSeconds) implements NameAnswer {
        public Addresses {
            literals = List.copyOf(literals);
            if (literals.isEmpty()) {
                throw new IllegalArgumentException("literals must not be empty: that is an Absent");
            }
        }
    }

    /**
     * Locations of the service.
     *
     * @param locations at least one
     */
    record Services(List<Location> locations, OptionalLong ttlSeconds) implements NameAnswer {
        public Services {
            locations = List.copyOf(locations);
            if (locations.isEmpty()) {
                throw new IllegalArgumentException("locations must not be empty: that is an Absent");
            }
        }
    }

    /** A resolver says that there is no such name, or no such record. */
    record Absent(String why) implements NameAnswer {}

    /** No resolver gave a usable answer. */
    record Failed(String why) implements NameAnswer {}

    /**
     * One SRV record.
     *
     * @param priority smaller ones come first
     * @param weight among equal priorities larger ones come first; every location is dialled, so nothing is drawn at random
     * @param port 1 to 65,535
     * @param host a complete name
     * @param literals addresses of the host, if the same answer has them
     */
    record Location(int priority, int weight, int port, String host, List<String> literals) {
        public Location {
            literals = List.copyOf(literals);
        }
    }
}
