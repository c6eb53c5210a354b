package io.hearth.agent.roster;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.Admission;
import io.hearth.identity.roster.Common;
import io.hearth.identity.roster.RosterBook;
import io.hearth.transport.AdmissionPolicy;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;

/** Decides which nodes are admitted after they proved a secret, by the current roster and this machine's own list of blocked machines. */
public final class RosterAdmission implements AdmissionPolicy {
    private final PeerId self;
    private final boolean isClosed;
    private volatile RosterBook book; // written by the owner thread, read by the links'
    private volatile SortedSet<PeerId> blocked = Collections.emptySortedSet(); // written and read like book

    /** @param isClosed whether only machines on the roster are admitted */
    public RosterAdmission(PeerId self, RosterBook book, boolean isClosed) {
        this.self = self;
        this.book = book;
        this.isClosed = isClosed;
    }

    void use(RosterBook newest) {
        book = newest;
    }

    public void block(SortedSet<PeerId> machines) {
        blocked = machines;
    }

    boolean isBlocked(PeerId machine) {
        return blocked.contains(machine);
    }

    @Override
    public Optional<String> refuses(NodeId node) {
        return judge(node.peer(), Common.CURRENT);
    }

    @Override
    public Optional<String> refusesRekey(PeerId peer, Common common) {
        return judge(peer, common);
    }

    @Override
    public Optional<String> outdated(PeerId peer) {
        return book.roster().isMember(peer) && !peer.equals(self)
                ? Optional.of(Admission.outdated(peer))
                : Optional.empty();
    }

    private Optional<String> judge(PeerId peer, Common common) {
        return isBlocked(peer) && !peer.equals(self)
                ? Optional.of("machine " + peer.shortText() + " is blocked on this machine: 'hearth unblock "
                        + peer.shortText() + "' there admits it again")
                : Admission.refuses(book.roster(), self, peer, common, isClosed);
    }
}
