package io.hearth.election;

/**
 * A view that a ballot asked the voters to accept; committed once a quorum did.
 *
 * @param ballot the attempt
 * @param view the successor that it proposes
 */
public record Proposal(Ballot ballot, View view) {}
