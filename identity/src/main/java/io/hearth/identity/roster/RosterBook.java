package io.hearth.identity.roster;

import io.hearth.core.Bytes;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.PeerId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The data that a machine keeps of one namespace: the roster, the secret, and the former secret, the only old one that is kept.
 *
 * <p>The choice between two secrets ({@link #judge}):
 *
 * <pre>
 * the issuer of the one here was removed   the other, if its generation is not lower than that of the former one here
 * another generation                       the higher one, at most {@value #LEAP_MAX} above
 * one generation, two secrets              the one with the lower key id, as an unsigned number
 * </pre>
 *
 * <p>provided that a voice that is not removed signed its charter, and that the charter lists this machine. The rule is the same on all
 * machines, so connected machines end with one secret. A secret whose charter does not cover a known removal ({@link Roster#uncovered}) has
 * to be replaced. This happens if two members removed two machines independently: each of the two removed machines may know the secret of
 * the other member.
 *
 * <p>Immutable. It holds secrets, so the caller must not log its content; its text form contains none.
 */
public final class RosterBook {
    /** A secret more than this number of generations above the present one is rejected. */
    public static final int LEAP_MAX = 64;

    private final Roster roster;
    private final NetworkNamespace current;
    private final Optional<NetworkNamespace> former;
    private final Bytes keyId;
    private final Optional<Bytes> formerKeyId;

    /**
     * A book of those parts.
     *
     * @throws IllegalArgumentException if the secret is not the one of the roster's charter, or names or generations differ
     */
    public RosterBook(Roster roster, NetworkNamespace current, Optional<NetworkNamespace> former) {
        this(roster, current, former, keyId(current), former.map(RosterBook::keyId));
    }

    private RosterBook(
            Roster roster,
            NetworkNamespace current,
            Optional<NetworkNamespace> former,
            Bytes keyId,
            Optional<Bytes> formerKeyId) {
        boolean fits = roster.namespace().equals(current.name())
                && roster.charter()
                        .map(charter -> charter.generation() == current.generation()
                                && charter.keyId().equals(keyId))
                        .orElse(true)
                && former.map(old -> old.name().equals(current.name())).orElse(true);
        if (!fits) {
            throw new IllegalArgumentException("the secret is not that of the roster");
        }
        this.roster = roster;
        this.current = current;
        this.former = former;
        this.keyId = keyId;
        this.formerKeyId = formerKeyId;
    }

    /** The book of a machine that knows only the secret. */
    public static RosterBook bySecret(NetworkNamespace namespace) {
        return new RosterBook(Roster.empty(namespace.name()), namespace, Optional.empty());
    }

    /** The secret and its charter that a member offers to another one. */
    public record Offer(Charter charter, NetworkNamespace secret) {}

    /** The decision about an offer. */
    public sealed interface Verdict {
        /** The offered secret replaces the one here. */
        record Adopted(RosterBook book) implements Verdict {}

        /** The secret here is as good or better; the other side takes it. */
        record Kept(String why) implements Verdict {}

        /** The offer is invalid, and counts as a fault of the sender. */
        record Rejected(String why) implements Verdict {}

        /** A person has to decide; {@code why} names the remedy. */
        record PairAgain(String why) implements Verdict {}
    }

    public Roster roster() {
        return roster;
    }

    public NetworkNamespace current() {
        return current;
    }

    public Optional<NetworkNamespace> former() {
        return former;
    }

    /** The key id of the present secret, 8 bytes. */
    public Bytes keyId() {
        return keyId;
    }

    /** The key id of the former secret. */
    public Optional<Bytes> formerKeyId() {
        return formerKeyId;
    }

    /** The key id of a secret, 8 bytes. */
    public static Bytes keyId(NetworkNamespace namespace) {
        try (var keys = namespace.keys()) {
            return Bytes.of(keys.id());
        }
    }

    /** The offer of this machine to members that hold another secret; empty in the first generation. */
    public Optional<Offer> offer() {
        return roster.charter().map(charter -> new Offer(charter, current));
    }

    /** With another roster. */
    public RosterBook with(Roster next) {
        return new RosterBook(next, current, former, keyId, formerKeyId);
    }

    /** With the founder's entry of this machine, if no founder and no charter is known; the same otherwise. */
    public RosterBook founded(Signatures.Hand hand, String label, long epochMillis, Signatures signatures) {
        if (roster.root().isPresent() || roster.charter().isPresent()) {
            return this;
        }
        var entry = new RosterEntry.Grant(hand.peer(), hand.peer(), label, GrantKind.FOUNDED, epochMillis, Bytes.EMPTY);
        return with(roster.merged(List.of(sign(hand, entry)), signatures).roster());
    }

    /**
     * With a grant that this machine signs.
     *
     * @return empty if there is no room
     * @throws IllegalArgumentException if this machine is not a member, or {@code machine} was removed
     */
    public Optional<RosterBook> granted(
            Signatures.Hand hand,
            PeerId machine,
            String label,
            GrantKind how,
            long epochMillis,
            Signatures signatures) {
        requireMember(hand);
        if (roster.isRemoved(machine)) {
            throw new IllegalArgumentException("machine " + machine.shortText() + " was removed");
        }
        var entry = new RosterEntry.Grant(machine, hand.peer(), label, how, epochMillis, Bytes.EMPTY);
        Roster.Merged merged = roster.merged(List.of(sign(hand, entry)), signatures);
        return merged.dropped().isEmpty() ? Optional.of(with(merged.roster())) : Optional.empty();
    }

    /**
     * Without those machines: with their removals and the next secret, for all other members. From then on, this machine grants members for
     * which only a removed machine vouched; the caller also removes those of them that should not stay.
     *
     * @param fresh of the generation after the present one
     * @return empty if there is no room
     * @throws IllegalArgumentException if this machine is not a member, or is among the removed
     */
    public Optional<RosterBook> without(
            Signatures.Hand hand,
            Collection<PeerId> machines,
            NetworkNamespace fresh,
            long epochMillis,
            Signatures signatures) {
        requireMember(hand);
        var entries = new ArrayList<RosterEntry>();
        for (PeerId machine : machines) {
            entries.add(sign(hand, new RosterEntry.Removal(machine, hand.peer(), epochMillis, Bytes.EMPTY)));
        }
        Roster.Merged merged = roster.merged(entries, signatures);
        if (!merged.dropped().isEmpty()) {
            return Optional.empty();
        }
        SortedSet<PeerId> members = roster.members();
        members.removeAll(machines);
        return Optional.of(with(merged.roster()).chartered(hand, fresh, members, epochMillis, signatures));
    }

    /**
     * With the next secret, for the present members.
     *
     * @param fresh of the generation after the present one
     * @throws IllegalArgumentException if this machine is not a member
     */
    public RosterBook rotated(Signatures.Hand hand, NetworkNamespace fresh, long epochMillis, Signatures signatures) {
        requireMember(hand);
        return chartered(hand, fresh, roster.members(), epochMillis, signatures);
    }

    /**
     * A machine that was away must find each member by a chain of grants from this machine or the founder, so this machine grants the
     * members without such a chain.
     */
    private RosterBook chartered(
            Signatures.Hand hand,
            NetworkNamespace fresh,
            SortedSet<PeerId> members,
            long epochMillis,
            Signatures signatures) {
        Charter unsigned = Charter.of(
                current.generation() + 1,
                keyId(fresh),
                hand.peer(),
                epochMillis,
                members,
                roster.marks().values());
        Charter charter = unsigned.signed(hand.sign(RosterEncoding.words(roster.namespace(), unsigned)));
        var next = new RosterBook(roster.under(charter), fresh, isRogue() ? former : Optional.of(current));
        for (PeerId kept : next.roster.unsupported()) {
            String label = roster.grant(kept).map(RosterEntry.Grant::label).orElse("");
            next = next.granted(hand, kept, label, GrantKind.KEPT, epochMillis, signatures)
                    .orElse(next); // a member by the charter in any case
        }
        return next;
    }

    /**
     * Whether this machine may replace the secret without a person: it is a member, and no member's standing depends on a removed founder.
     */
    public boolean mayRotateAlone(PeerId self) {
        return roster.isAnchored() && roster.isMember(self);
    }

    /** Whether the present secret has to be replaced, because a removed machine may know it, or made it. */
    public boolean isRotationDue() {
        return !roster.uncovered().isEmpty() || isRogue();
    }

    /**
     * Machines that may lack the present secret, since no process of this home saw them after it was made: the next secret would lock them
     * out. A hint for people, because the wall clocks of two machines differ. No machine lacks the first secret. If a removed machine made
     * the present secret, the next one keeps the former secret valid ({@link #rotated}), so it locks no machine out.
     *
     * @param machines the machines to check
     * @param seen times at which they were linked; a time in the future is ignored
     * @param nowMillis wall clock
     */
    public SortedSet<PeerId> behind(Collection<PeerId> machines, Map<PeerId, SeenFile.Seen> seen, long nowMillis) {
        var behind = new TreeSet<PeerId>();
        Optional<Charter> charter = roster.charter();
        if (charter.isEmpty() || isRogue()) {
            return behind;
        }
        long sinceMillis = charter.get().epochMillis();
        behind.addAll(machines);
        behind.remove(charter.get().issuer());
        seen.forEach((machine, at) -> {
            if (at.epochMillis() >= sinceMillis && at.epochMillis() <= nowMillis) {
                behind.remove(machine);
            }
        });
        for (RosterEntry entry : roster.entries()) { // a pairing hands the secret over
            boolean isPairing = entry instanceof RosterEntry.Grant grant && grant.how() == GrantKind.PAIRED;
            if (isPairing && entry.epochMillis() >= sinceMillis && entry.epochMillis() <= nowMillis) {
                behind.remove(entry.subject());
            }
        }
        return behind;
    }

    /** Whether a removed machine made the present secret. */
    private boolean isRogue() {
        return roster.charter()
                .filter(charter -> roster.isRemoved(charter.issuer()))
                .isPresent();
    }

    /**
     * Decides about an offer of a member.
     *
     * @param self this machine
     */
    public Verdict judge(Offer offer, PeerId self, Signatures signatures) {
        Charter charter = offer.charter();
        if (offer.secret().generation() != charter.generation()
                || !offer.secret().name().equals(current.name())
                || !keyId(offer.secret()).equals(charter.keyId())) {
            return new Verdict.Rejected("a secret that is not the one of its charter");
        }
        if (!signatures.verify(
                charter.issuer(), RosterEncoding.words(roster.namespace(), charter), charter.signature())) {
            return new Verdict.Rejected("a charter with a wrong signature");
        }
        if (charter.keyId().equals(keyId())) {
            return new Verdict.Kept("it is the one here");
        }
        boolean isRogue = isRogue();
        int floor = isRogue ? former.map(NetworkNamespace::generation).orElse(1) + 1 : current.generation();
        if (charter.generation() < floor) {
            return new Verdict.Kept("generation " + charter.generation() + " is older than " + floor);
        }
        if (!isRogue && charter.generation() == floor && !isBetter(charter)) {
            return new Verdict.Kept("of two secrets of generation " + floor + ", the one with the lower key id stays");
        }
        if (charter.generation() - floor > LEAP_MAX) {
            return new Verdict.Rejected("generation " + charter.generation() + " is too far above " + floor);
        }
        return believed(offer, self);
    }

    /**
     * Whether {@code other} wins against the charter here, of the same generation: the one here has an objection under it, or {@code other}
     * has the lower key id.
     */
    private boolean isBetter(Charter other) {
        boolean counts = roster.isVoice(other.issuer()) && !roster.isRemoved(other.issuer());
        boolean isDoubtful = counts
                && roster.charter()
                        .flatMap(own -> roster.under(other).objection(own))
                        .isPresent();
        return isDoubtful || isLower(other.keyId(), keyId());
    }

    /** Accepts an offer that is better than the secret here, if its issuer counts here and the charter is plausible. */
    private Verdict believed(Offer offer, PeerId self) {
        Charter charter = offer.charter();
        String issuer = charter.issuer().shortText();
        if (roster.isRemoved(charter.issuer())) {
            return new Verdict.PairAgain("machine " + issuer + " made secret "
                    + charter.keyId().hex() + " of generation "
                    + charter.generation() + ", and was removed as far as this machine knows; a person decides: if "
                    + issuer + " is one of yours, pair this machine again with one that has its secret");
        }
        if (!roster.isVoice(charter.issuer())) {
            return new Verdict.Rejected("a charter of " + issuer + ", which is not on the roster here");
        }
        Optional<String> objection = roster.objection(charter);
        if (objection.isPresent()) {
            return new Verdict.Kept("the charter of " + issuer + " is not accepted yet: " + objection.get());
        }
        Roster next = roster.under(charter);
        if (!next.isMember(self)) {
            return new Verdict.PairAgain("machine " + issuer + " made secret "
                    + charter.keyId().hex() + " of generation "
                    + charter.generation() + " without this machine; if it belongs, pair it again with one that has"
                    + " that secret");
        }
        return new Verdict.Adopted(new RosterBook(next, offer.secret(), isRogue() ? former : Optional.of(current)));
    }

    /**
     * The book after accepting the valid part of what other machines sent.
     *
     * @param present the charter of the secret here, if none was known
     * @param offer a secret to judge again, because another process may have changed the file meanwhile
     */
    public RosterBook taking(
            Collection<RosterEntry> entries,
            Optional<Charter> present,
            Optional<Offer> offer,
            PeerId self,
            Signatures signatures) {
        Roster base = present.filter(charter -> charter.keyId().equals(keyId()))
                .map(roster::chartered)
                .orElse(roster);
        Roster.Merged merged = base.merged(entries, signatures);
        RosterBook next = merged.fresh().isEmpty() && base.equals(roster) ? this : with(merged.roster());
        if (offer.isEmpty()) {
            return next;
        }
        return next.judge(offer.get(), self, signatures) instanceof Verdict.Adopted(RosterBook adopted)
                ? adopted
                : next;
    }

    private static boolean isLower(Bytes one, Bytes other) {
        return one.hex().compareTo(other.hex()) < 0;
    }

    private void requireMember(Signatures.Hand hand) {
        if (!roster.isMember(hand.peer())) {
            throw new IllegalArgumentException("this machine is not on the roster of " + roster.namespace());
        }
    }

    private <E extends RosterEntry> RosterEntry sign(Signatures.Hand hand, E entry) {
        return entry.signed(hand.sign(RosterEncoding.words(roster.namespace(), entry)));
    }

    @Override
    public String toString() {
        return "RosterBook[" + roster + ", generation " + current.generation() + "]";
    }
}
