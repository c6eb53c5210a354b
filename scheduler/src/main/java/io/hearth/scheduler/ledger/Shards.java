package io.hearth.scheduler.ledger;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Who has the shards of a job; immutable. Nodes are named by their index among the job's members, -1 for none.
 *
 * <p>A shard has an owner and a term. A completion counts if it names both. The term rises when the shard gets another owner, and when its
 * next epoch begins, so an older completion is known as such.
 */
public final class Shards {
    /** No node. */
    static final int NOBODY = -1;

    private final int[] owners;
    private final boolean[] given;
    private final long[] terms;
    private final int[] doneOwners;
    private final long[] doneTerms;

    Shards(int[] owners, boolean[] given, long[] terms, int[] doneOwners, long[] doneTerms) {
        this.owners = owners.clone();
        this.given = given.clone();
        this.terms = terms.clone();
        this.doneOwners = doneOwners.clone();
        this.doneTerms = doneTerms.clone();
    }

    /** Shards that nobody was given yet, with the terms that follow {@code term}. */
    static Shards placed(int[] owners, long term) {
        int count = owners.length;
        int[] nobody = new int[count];
        Arrays.fill(nobody, NOBODY);
        return new Shards(
                owners,
                new boolean[count],
                IntStream.range(0, count).mapToLong(i -> term + 1 + i).toArray(),
                nobody,
                new long[count]);
    }

    public int count() {
        return owners.length;
    }

    /** The index of the member that has to complete the shard. */
    public int owner(int shard) {
        return owners[shard];
    }

    public long term(int shard) {
        return terms[shard];
    }

    /** Whether the owner was told to work on it. */
    public boolean isGiven(int shard) {
        return given[shard];
    }

    /** Whether it is complete in this epoch. */
    public boolean isDone(int shard) {
        return doneTerms[shard] == terms[shard];
    }

    /** Whether this completion of the shard was the last one that counted. */
    public boolean wasDone(int shard, int owner, long term) {
        return doneTerms[shard] == term && doneOwners[shard] == owner;
    }

    int doneOwner(int shard) {
        return doneOwners[shard];
    }

    long doneTerm(int shard) {
        return doneTerms[shard];
    }

    /** Shards that are complete in this epoch. */
    public int done() {
        return (int) IntStream.range(0, count()).filter(this::isDone).count();
    }

    /** For each member, the shards that it still has to complete. */
    public int[] open(int members) {
        int[] open = new int[members];
        for (int i = 0; i < owners.length; i++) {
            if (owners[i] != NOBODY && !isDone(i)) {
                open[owners[i]]++;
            }
        }
        return open;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Shards that
                && Arrays.equals(owners, that.owners)
                && Arrays.equals(given, that.given)
                && Arrays.equals(terms, that.terms)
                && Arrays.equals(doneOwners, that.doneOwners)
                && Arrays.equals(doneTerms, that.doneTerms);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(terms);
    }

    /** A copy to change. */
    Draft draft() {
        return new Draft(this);
    }

    /** Shards under change. */
    static final class Draft {
        private final Shards now;

        private Draft(Shards from) {
            now = new Shards(from.owners, from.given, from.terms, from.doneOwners, from.doneTerms);
        }

        /** Makes another node, or nobody, the owner. */
        void move(int shard, int owner, long term) {
            now.owners[shard] = owner;
            now.given[shard] = false;
            now.terms[shard] = term;
        }

        void give(int shard) {
            now.given[shard] = true;
        }

        void complete(int shard) {
            now.doneOwners[shard] = now.owners[shard];
            now.doneTerms[shard] = now.terms[shard];
        }

        /** The result; the draft is not used after it. */
        Shards finish() {
            return now;
        }
    }
}
