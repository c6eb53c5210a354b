package io.hearth.collective.schedule;

/**
 * Shares in segments that travel side by side: segment s of S is a slice, the s-th S-th part, of each share. So the owner of a small share
 * works for the same time as the owner of a large one, with shorter segments.
 *
 * @param shares of all owners
 * @param elementBytes size of an element
 * @param segments of each share, 1 or more: as many as the largest share needs
 */
record Slices(Shares shares, int elementBytes, long segments) {
    static Slices of(Shares shares, int elementBytes, int segmentBytes) {
        return new Slices(shares, elementBytes, Segments.of(shares.largest() * elementBytes, segmentBytes));
    }

    /** Whether slices of that share travel: empty ones only if the whole buffer is empty. */
    boolean isOwner(int owner) {
        return shares.total() == 0 || shares.count(owner) > 0;
    }

    /** One slice of a share, under the number {@code chunk} on the wire. */
    Transfer cut(Transfer into, int peer, int chunk, int owner, long segment) {
        long from = offset(owner, segment);
        return into.between(peer, chunk, from, (int) (offset(owner, segment + 1) - from));
    }

    long bytes() {
        return shares.total() * elementBytes;
    }

    /** Bytes of one share. */
    long bytes(int owner) {
        return shares.count(owner) * elementBytes;
    }

    /** Bytes of the two largest shares together; the second one is 0 if there is only one. */
    long bytesOfTwo() {
        long largest = 0;
        long second = 0;
        for (int owner = 0; owner < shares.world(); owner++) {
            second = Math.max(second, Math.min(largest, bytes(owner)));
            largest = Math.max(largest, bytes(owner));
        }
        return largest + second;
    }

    /** Offset of a slice, in bytes. */
    private long offset(int owner, long segment) {
        long each = shares.count(owner) / segments;
        long more = shares.count(owner) % segments;
        return (shares.start(owner) + segment * each + Math.min(segment, more)) * elementBytes;
    }
}
