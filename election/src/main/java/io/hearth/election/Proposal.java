package io.hearth.election;

/**
 * A view that a ballot asks the voters to accept; it is committed once a quorum accepted it.
 *
 * @param ballot the attempt
 * @param view the successor that it proposes
 */
public record Proposal(Ballot ballot, View view) {}
