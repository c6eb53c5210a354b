package io.hearth.topology.plan;

/**
 * Two ranks without a working link.
 *
 * @param from the rank that cannot reach the other; the lower one if neither can
 * @param to the other
 * @param isMutual whether the other one cannot reach it either
 */
public record Gap(int from, int to, boolean isMutual) {
    /** The statement for a person. */
    public String text() {
        return isMutual
                ? "ranks " + from + " and " + to + " cannot reach each other"
                : "rank " + from + " cannot reach rank " + to;
    }
}
