package io.hearth.collective.schedule;

/**
 * A sum between all pairs: each position sends every owner its contribution to that owner's share, owners add, and perhaps send their
 * results. If some positions own nothing, a note to the next position comes first (see {@link Schedule}).
 */
sealed interface DirectSum extends Schedule permits DirectAllReduce, DirectReduceScatter {
    Owners owners();

    /** The sends: contributions, then results. */
    Interleaving sending();

    /** The receives: contributions, then results. */
    Interleaving receiving();

    @Override
    default long sends() {
        return owners().notes() + sending().total();
    }

    @Override
    default long receives() {
        return owners().notes() + receiving().total();
    }

    @Override
    default void send(long index, Transfer into) {
        Owners owners = owners();
        Interleaving sends = sending();
        long entry = index - owners.notes();
        if (entry < 0) {
            owners.sendNote(into);
        } else if (sends.isSecond(entry)) {
            long segment = sends.segment(entry);
            long after = receiving().firstIndex(segment, owners.served());
            owners.sendResult(into, segment, sends.item(entry), owners.notes() + after);
        } else {
            owners.sendContribution(into, sends.segment(entry), sends.item(entry));
        }
    }

    @Override
    default void receive(long index, Transfer into) {
        Owners owners = owners();
        Interleaving receives = receiving();
        long entry = index - owners.notes();
        if (entry < 0) {
            owners.receiveNote(into);
        } else if (receives.isSecond(entry)) {
            owners.receiveResult(into, receives.segment(entry), receives.item(entry));
        } else {
            owners.receiveContribution(into, receives.segment(entry), receives.item(entry));
        }
    }
}
