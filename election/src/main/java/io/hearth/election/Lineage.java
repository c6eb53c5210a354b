package io.hearth.election;

import io.hearth.identity.NodeId;

/**
 * The name of a chain of views: new at each founding, never reused.
 *
 * @param continued founded by {@code --on-partition continue}; such a lineage always yields to one that was not
 * @param bornMillis the founder's wall clock at the founding; only orders lineages that meet
 * @param founder the node that founded it
 * @param incarnation the founder's incarnation
 * @param counter foundings of that incarnation before this one
 */
public record Lineage(boolean continued, long bornMillis, NodeId founder, long incarnation, int counter)
        implements Comparable<Lineage> {
    /** The better of two lineages of equal size comes first: not continued, then earlier born, then smaller id. */
    @Override
    public int compareTo(Lineage other) {
        int order = Boolean.compare(continued, other.continued);
        order = order != 0 ? order : Long.compare(bornMillis, other.bornMillis);
        order = order != 0 ? order : founder.compareTo(other.founder);
        order = order != 0 ? order : Long.compare(incarnation, other.incarnation);
        return order != 0 ? order : Integer.compare(counter, other.counter);
    }

    /** All fields. Voting records have their names from this text, so a change of it would lose them. */
    @Override
    public String toString() {
        return "Lineage[continued=" + continued + ", bornMillis=" + bornMillis + ", founder=" + founder
                + ", incarnation=" + incarnation + ", counter=" + counter + "]";
    }

    /** Text for people and logs. */
    public String shortText() {
        return founder.shortText() + "#" + incarnation + "." + counter + (continued ? "c" : "");
    }
}
