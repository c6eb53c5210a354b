package io.hearth.identity.roster;

import io.hearth.identity.PeerId;
import java.util.Optional;

/** Whether a machine that proved a secret may come in; the reason if not, as one line for people of both sides. Pure. */
public final class Admission {
    private Admission() {}

    /**
     * Judges a peer.
     *
     * @param common which secret it proved, as seen from here
     * @param isClosed whether nobody is admitted who is not on the roster
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
                    + ": to come back it makes a new identity ('hearth identity reset') and is paired again");
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

    /** What both sides say when a machine on the roster has no secret that the other still knows. */
    public static String outdated(PeerId peer) {
        return "machine " + peer.shortText()
                + " is on the roster here and holds none of the two newest secrets: one of the two"
                + " missed two generations; pair the one that was away again ('hearth pair' on a machine that trains,"
                + " 'hearth join' on that one)";
    }
}
