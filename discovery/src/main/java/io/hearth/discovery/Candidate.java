package io.hearth.discovery;

/** An address to dial and what lies between: what a dialer needs to choose among the addresses of one peer. */
public record Candidate(PeerAddress address, Medium medium) {}
