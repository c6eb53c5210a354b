package io.hearth.replicated;

import io.hearth.identity.PeerId;
import java.util.Comparator;

/**
 * The name of a store: new at each founding, never reused. The better of two stores that meet comes first.
 *
 * @param bornMillis the founder's wall clock at the founding; only orders stores that meet
 * @param founder the machine that founded it
 * @param nonce random, so that a machine with a wrong clock never makes one id twice
 */
public record StoreId(long bornMillis, PeerId founder, long nonce) implements Comparable<StoreId> {
    private static final Comparator<StoreId> ORDER = Comparator.comparingLong(StoreId::bornMillis)
            .thenComparing(StoreId::founder)
            .thenComparingLong(StoreId::nonce);

    @Override
    public int compareTo(StoreId other) {
        return ORDER.compare(this, other);
    }

    public boolean isBetterThan(StoreId other) {
        return compareTo(other) < 0;
    }

    /** Text for people and logs. */
    public String shortText() {
        return founder.shortText() + "#" + Long.toHexString(nonce);
    }
}
