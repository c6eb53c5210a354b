package io.hearth.discovery;

/** An address to dial and the medium of the path to it. A dialer chooses by both among the addresses of one peer. */
public record Candidate(PeerAddress address, Medium medium) {}
