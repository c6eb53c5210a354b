package io.hearth.simulation.roster;

import static io.hearth.simulation.roster.RosterHome.MILLI;

import io.hearth.identity.roster.machine.RosterMachine.LinkId;

/** A link between two running processes; a cut loses the messages on their way. */
final class RosterWire {
    private final RosterHome home;
    final RosterNode one;
    final RosterNode other;
    final boolean rekey;
    final long number;
    long openNanos;
    private long toOne;
    private long toOther;
    private boolean cut;

    RosterWire(RosterHome home, RosterNode one, RosterNode other, boolean rekey) {
        this.home = home;
        this.number = home.number();
        this.one = one;
        this.other = other;
        this.rekey = rekey;
    }

    LinkId at(RosterNode node) {
        return new LinkId((node == one ? other : one).peer, number);
    }

    /** Delivers messages in order, after a delay. */
    void carry(RosterNode to, Runnable what) {
        long at = Math.max(home.now + MILLI + home.random.nextLong(30 * MILLI), (to == one ? toOne : toOther) + 1);
        if (to == one) {
            toOne = at;
        } else {
            toOther = at;
        }
        home.after(at - home.now, () -> {
            if (!cut) {
                what.run();
            }
        });
    }

    void cut() {
        if (!cut) {
            cut = true;
            home.wires.remove(this);
            one.closed(at(one));
            other.closed(at(other));
        }
    }

    @Override
    public String toString() {
        return "link " + home.name(one.peer) + "-" + home.name(other.peer);
    }
}
