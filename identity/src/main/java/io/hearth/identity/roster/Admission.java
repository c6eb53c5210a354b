package io.hearth.identity.roster;

import io.hearth.identity.PeerId;
import java.util.Optional;

/** Decides whether a machine that proved a secret is admitted; a rejection has a reason in one line, for people of both sides. Pure. */
public final class Admission {
    private Admission() {}

    /**
     * Decides about a peer.
     * @param common the secret that it proved, as seen from this machine
     * @param isClosed whether only machines on the roster are admitted
     * @return the reason for a rejection; empty if the peer is admitted
     */
    public static Optional<String> refuses(Roster roster, PeerId self, PeerId peer, Common common, boolean isClosed) {
        if (peer.equals(self)) {
            return Optional.empty(); // processes of one machine
        }
        if (roster.isRemoved(peer)) {
            return Optional.of("machine " + peer.shortText() + " was removed"
                    + roster.removal(peer)
                            .map(removal -> " by " + removal.by().shortText())
                            .orElse("")
                    + ": to come back, it needs a new identity ('hearth identity reset') and has to be paired again");
        }
        if (common == Common.NONE) {
            return Optional.of(roster.isMember(peer) ? outdated(peer) : "another secret");
        }
        if (common.isFormerHere() && !roster.isMember(peer)) {
            return Optional.of(
                    "machine " + peer.shortText() + " proved the former secret and is not on the roster: pair it"
                            + " ('hearth pair' here, 'hearth join' there)");
        }
        if (isClosed && !roster.isMember(peer)) {
            return Optional.of(
                    "machine " + peer.shortText() + " is not on the roster and this namespace is closed: pair it"
                            + " ('hearth pair' here, 'hearth join' there), or take 'closed = true' out of namespace.toml");
        }
        return Optional.empty();
    }

    /** The line for people of both sides if a machine on the roster has no secret that the other still knows. */
    public static String outdated(PeerId peer) {
        return "machine " + peer.shortText()
                + " is on the roster here and holds none of the two newest secrets: one of the two"
                + " missed two generations; pair the one that was away again ('hearth pair' on a machine that trains,"
                + " 'hearth join' on that one)";
    }
}
