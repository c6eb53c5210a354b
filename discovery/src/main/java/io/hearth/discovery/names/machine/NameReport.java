package io.hearth.discovery.names.machine;

/**
 * The results of the lookups of one name so far, for people.
 *
 * @param name as a person wrote it
 * @param addresses number of addresses in use, perhaps of an earlier answer
 * @param problem why the last round brought none; empty if it did
 */
public record NameReport(String name, int addresses, String problem) {
    /** Whether the last round brought addresses. */
    public boolean isAnswered() {
        return problem.isEmpty();
    }

    /** One sentence without a full stop. */
    public String text() {
        String count = addresses + (addresses == 1 ? " address" : " addresses");
        if (isAnswered()) {
            return name + " has " + count;
        }
        return name + ": " + problem + (addresses == 0 ? "" : "; its last " + count + " stay in use");
    }
}
