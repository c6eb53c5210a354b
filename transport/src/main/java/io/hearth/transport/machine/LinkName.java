package io.hearth.transport.machine;

/**
 * Names a link between two nodes. Both know it: it is a dial of one of the two processes.
 *
 * @param dialed whether this node dialled it; the other end has the opposite
 * @param dial the dialling side's counter, above 0
 */
public record LinkName(boolean dialed, long dial) {
    public LinkName {
        if (dial <= 0) {
            throw new IllegalArgumentException("the number of a dial must be above 0, got " + dial);
        }
    }

    /** The same link as the other end names it. */
    LinkName seenFromThere() {
        return new LinkName(!dialed, dial);
    }
}
