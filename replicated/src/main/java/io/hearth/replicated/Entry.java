package io.hearth.replicated;

import io.hearth.election.Ballot;

/**
 * One entry of the log.
 *
 * @param position its number is at least 1
 */
public record Entry(Position position, Content content) {
    public Entry {
        if (position.number() < 1) {
            throw new IllegalArgumentException("entries count from 1");
        }
    }

    public long number() {
        return position.number();
    }

    public Ballot ballot() {
        return position.ballot();
    }
}
