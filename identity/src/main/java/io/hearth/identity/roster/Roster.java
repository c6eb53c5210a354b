package io.hearth.identity.roster;

import io.hearth.core.Bytes;
import io.hearth.identity.PeerId;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The members of a namespace, as far as this machine knows: a set of signed entries that only grows, and the standing of machines that
 * follows from them.
 *
 * <pre>
 * base      the members of the generation's charter; without one, the founder
 * voices    base, and machines that a voice granted, except those that the charter excludes: their removals count
 * removed   machines that the charter excludes or a voice removed: for ever, whatever grants say
 * members   base, the signers of removals that count, and machines that a member granted, except the removed: their grants count
 *           (while the founder is removed and no charter is known: all voices but the removed)
 * </pre>
 *
 * <p>There are more voices than members, so that two members that remove one another are both out, in whatever order the two entries come.
 * A charter ends that: a machine that it excludes is no longer a voice, so entries that a stolen machine signs later never count.
 *
 * <p>Room: there are at most {@value #GRANTS_MAX} grants. If there is no other room, the removal of a granted machine replaces its grants,
 * so it always has room. There are at most {@value #UNGRANTED_MAX} removals of machines without a grant, {@value #UNGRANTED_BY_ONE_MAX} of
 * each signer, so that one member cannot fill the roster. An entry that has an effect is never evicted.
 *
 * <p>Immutable.
 */
public final class Roster {
    /** Most entries. */
    public static final int ENTRIES_MAX = 1_024;

    /** Most grants among them, and most members. */
    public static final int GRANTS_MAX = 512;

    /** Most removals of machines that no entry grants. */
    public static final int UNGRANTED_MAX = ENTRIES_MAX - GRANTS_MAX;

    /** Most such removals of one signer. */
    public static final int UNGRANTED_BY_ONE_MAX = 64;

    /** Most entries of one kind about one machine. */
    static final int WITNESSES_MAX = 4;

    /** The reason why an entry was not accepted. */
    public enum Drop {
        /** The signature is wrong. */
        BAD_SIGNATURE,
        /** The signer has no standing here: it was never granted, or it was removed. */
        BAD_SIGNER,
        /** It grants a machine that was removed. */
        REMOVED,
        /** It founds the namespace, and another founder is known here. */
        OTHER_FOUNDER,
        /** There is no room. */
        FULL
    }

    /**
     * The result of merging entries.
     *
     * @param fresh accepted entries that are new here
     * @param dropped number of entries that were not accepted, by reason
     */
    public record Merged(Roster roster, List<RosterEntry> fresh, Map<Drop, Integer> dropped) {}

    private record Key(int kind, PeerId subject, PeerId by) implements Comparable<Key> {
        private static final Comparator<Key> ORDER =
                Comparator.comparingInt(Key::kind).thenComparing(Key::subject).thenComparing(Key::by);

        static Key of(RosterEntry entry) {
            return new Key(entry instanceof RosterEntry.Removal ? 0 : 1, entry.subject(), entry.by());
        }

        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }
    }

    private final String namespace;
    private final Optional<PeerId> root;
    private final Optional<Charter> charter;
    private final Set<Bytes> marked; // marks of the charter; looked up, never iterated
    private final SortedMap<Key, RosterEntry> entries;
    private final SortedSet<PeerId> voices;
    private final SortedMap<PeerId, RosterEntry.Removal> removals;
    private final SortedSet<PeerId> members;

    /** A roster of those entries. The caller checked their signatures, or does not trust the roster. */
    Roster(String namespace, Optional<PeerId> root, Optional<Charter> charter, Collection<RosterEntry> entries) {
        this(namespace, root, charter, keyed(entries), marked(charter));
    }

    private Roster(
            String namespace,
            Optional<PeerId> root,
            Optional<Charter> charter,
            SortedMap<Key, RosterEntry> entries,
            Set<Bytes> marked) {
        this.namespace = namespace;
        this.marked = marked;
        this.root = root;
        this.charter = charter;
        this.entries = entries;
        this.voices = closure(base(), granted(), this::isExcluded);
        this.removals = effective();
        this.members =
                isAnchored() ? closure(without(first()), granted(), this::isRemoved) : without(new TreeSet<>(voices));
    }

    /** The roster of a namespace without a known founder. */
    public static Roster empty(String namespace) {
        return new Roster(namespace, Optional.empty(), Optional.empty(), List.of());
    }

    /** The namespace that all signatures are for. */
    public String namespace() {
        return namespace;
    }

    /** The founder of the namespace; once known, it never changes. */
    public Optional<PeerId> root() {
        return root;
    }

    /** The charter of the secret's generation; empty in the first one. */
    public Optional<Charter> charter() {
        return charter;
    }

    /** All entries, in {@link RosterEntry#ORDER} of kind, subject and signer. */
    public List<RosterEntry> entries() {
        return List.copyOf(entries.values());
    }

    /** The members. */
    public SortedSet<PeerId> members() {
        return new TreeSet<>(members);
    }

    /** Whether the machine is a member. */
    public boolean isMember(PeerId machine) {
        return members.contains(machine);
    }

    /** Whether the machine is removed, for ever. */
    public boolean isRemoved(PeerId machine) {
        return removals.containsKey(machine) || isExcluded(machine);
    }

    /** Whether removals that the machine signs count. */
    boolean isVoice(PeerId machine) {
        return voices.contains(machine);
    }

    /** The entry that removes a machine; empty too if only the charter excludes it. */
    public Optional<RosterEntry.Removal> removal(PeerId machine) {
        return Optional.ofNullable(removals.get(machine));
    }

    /** The removals that count, by machine. */
    public List<RosterEntry.Removal> removals() {
        return List.copyOf(removals.values());
    }

    /** The grant of a machine to show: one that counts before others, then the oldest. */
    public Optional<RosterEntry.Grant> grant(PeerId machine) {
        return grants().stream()
                .filter(grant -> grant.subject().equals(machine))
                .min(Comparator.<RosterEntry.Grant>comparingInt(grant -> members.contains(grant.by()) ? 0 : 1)
                        .thenComparingLong(RosterEntry.Grant::epochMillis)
                        .thenComparing(RosterEntry.Grant::by));
    }

    /** Members for which only {@code granter} vouches, so that a person has to decide whether they stay when it is removed. */
    public SortedSet<PeerId> introducedBy(PeerId granter) {
        return introducedBy(Set.of(granter), Set.of());
    }

    /**
     * Members for which only the leaving machines vouch: no chain of grants leads to them from the founder, from the issuer of the charter
     * or from a machine that certainly stays. Of a chain of such members, the result has only the first; the next ones follow if that one
     * leaves too.
     *
     * @param out machines that leave
     * @param sure machines that certainly stay: the one that removes the others, and those that a person decided to keep
     */
    public SortedSet<PeerId> introducedBy(Collection<PeerId> out, Collection<PeerId> sure) {
        var start = new TreeSet<>(vouchers());
        start.addAll(sure);
        Map<PeerId, List<PeerId>> vouches = vouches();
        SortedSet<PeerId> now = closure(start, vouches, this::isRemoved);
        start.removeAll(out);
        SortedSet<PeerId> then = closure(start, vouches, machine -> isRemoved(machine) || out.contains(machine));
        var introduced = new TreeSet<PeerId>();
        for (PeerId goes : out) {
            for (PeerId machine : vouches.getOrDefault(goes, List.of())) {
                boolean rests = now.contains(machine) && !then.contains(machine) && members.contains(machine);
                if (rests && !out.contains(machine)) {
                    introduced.add(machine);
                }
            }
        }
        return introduced;
    }

    /** Members without a chain of grants from the founder or the issuer of the charter, except through removed machines. */
    SortedSet<PeerId> unsupported() {
        SortedSet<PeerId> supported = closure(vouchers(), vouches(), this::isRemoved);
        SortedSet<PeerId> found = members();
        found.removeAll(supported);
        return found;
    }

    /** Machines whose grants need no other support: the founder and the maker of the secret, unless removed. */
    private SortedSet<PeerId> vouchers() {
        var vouchers = new TreeSet<PeerId>();
        root.ifPresent(vouchers::add);
        charter.ifPresent(current -> vouchers.add(current.issuer()));
        return without(vouchers);
    }

    /** The machines for which each machine vouches: by grants, and by the charter for its members without a grant. */
    private Map<PeerId, List<PeerId>> vouches() {
        Map<PeerId, List<PeerId>> vouches = granted();
        if (charter.isPresent()) {
            var bare = base();
            grants().forEach(grant -> bare.remove(grant.subject()));
            vouches.computeIfAbsent(charter.get().issuer(), _ -> new ArrayList<>())
                    .addAll(bare);
        }
        return vouches;
    }

    /**
     * The first statement of another generation's charter that does not follow from the entries known here; empty if all do. A charter
     * rests on its issuer alone, and the issuer may be a stolen machine that is not known as removed yet. So a charter may list only
     * machines that entries grant, mark only machines that entries remove, and must keep every member and every mark.
     */
    public Optional<String> objection(Charter next) {
        Roster after = under(next);
        SortedSet<PeerId> listed = next.memberSet();
        listed.removeIf(machine -> voices.contains(machine) || isRemoved(machine));
        if (!listed.isEmpty()) {
            return Optional.of("it lists machine " + listed.first().shortText() + ", which no entry grants");
        }
        var marked = new TreeMap<String, Bytes>();
        next.removed().forEach(mark -> marked.put(mark.hex(), mark));
        var open = new TreeSet<>(marked.keySet());
        open.removeAll(marks().keySet());
        if (!open.isEmpty()) {
            return Optional.of("it marks machine " + open.first() + " as removed, which no entry removes");
        }
        var known = new TreeSet<String>();
        charter.ifPresent(current -> current.removed().forEach(mark -> known.add(mark.hex())));
        removals.keySet().forEach(machine -> known.remove(Charter.mark(machine).hex())); // their entries remain
        known.removeAll(marked.keySet());
        if (!known.isEmpty()) {
            return Optional.of("it does not mark machine " + known.first() + ", which was removed");
        }
        SortedSet<PeerId> left = members();
        left.removeIf(machine -> after.isMember(machine) || after.isRemoved(machine));
        left.removeAll(unsupported());
        return left.isEmpty()
                ? Optional.empty()
                : Optional.of("it leaves out machine " + left.first().shortText() + ", which no entry removes");
    }

    /** Removed machines that held the present secret when it was new, so that it has to be replaced. */
    public SortedSet<PeerId> uncovered() {
        var open = new TreeSet<PeerId>();
        removals.keySet().stream().filter(machine -> !isExcluded(machine)).forEach(open::add);
        return open;
    }

    /** Marks of all removed machines, for the next charter. */
    SortedMap<String, Bytes> marks() {
        var marks = new TreeMap<String, Bytes>();
        charter.ifPresent(current -> current.removed().forEach(mark -> marks.put(mark.hex(), mark)));
        removals.keySet().forEach(machine -> {
            Bytes mark = Charter.mark(machine);
            marks.put(mark.hex(), mark);
        });
        return marks;
    }

    /** This roster under the charter of another generation: without removals by machines that are not voices under it. */
    Roster under(Charter next) {
        Set<Bytes> marks = marked(Optional.of(next));
        var all = new Roster(namespace, root, Optional.of(next), entries, marks);
        var kept = new TreeMap<>(entries);
        kept.values().removeIf(entry -> entry instanceof RosterEntry.Removal && !all.isRemoved(entry.subject()));
        if (kept.size()
                > ENTRIES_MAX / 2) { // covered twice: a machine that was away for one generation has the mark itself
            kept.values()
                    .removeIf(entry -> entry instanceof RosterEntry.Removal
                            && isExcluded(entry.subject())
                            && all.isExcluded(entry.subject()));
        }
        return new Roster(namespace, root, Optional.of(next), kept, marks);
    }

    /** Whether the charter's issuer signed it for this namespace. */
    public boolean isSigned(Charter given, Signatures signatures) {
        return signatures.verify(given.issuer(), RosterEncoding.words(namespace, given), given.signature());
    }

    /** With the charter of the present generation, if none is known. */
    public Roster chartered(Charter present) {
        return charter.isPresent() ? this : under(present);
    }

    /** 32 bytes that are equal for two rosters with the same members, the same uncovered removals and the same charter's key id. */
    public Bytes digest() {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            charter.ifPresent(current -> digest.update(current.keyId().toArray()));
            digest.update((byte) 1);
            members.forEach(member -> digest.update(member.publicKey()));
            digest.update((byte) 2);
            uncovered().forEach(machine -> digest.update(machine.publicKey()));
            return Bytes.of(digest.digest());
        } catch (NoSuchAlgorithmException missing) {
            throw new AssertionError("every JDK 25 has SHA-256", missing);
        }
    }

    /**
     * Accepts entries of other machines, if a machine with standing signed them.
     *
     * @param candidates in any order; entries that are here already are skipped
     */
    public Merged merged(Collection<RosterEntry> candidates, Signatures signatures) {
        Roster result = this;
        var fresh = new ArrayList<RosterEntry>();
        var dropped = new EnumMap<Drop, Integer>(Drop.class);
        var open = new ArrayList<RosterEntry>();
        for (RosterEntry candidate :
                candidates.stream().sorted(RosterEntry.ORDER).toList()) {
            if (candidate.equals(entries.get(Key.of(candidate)))) {
                continue;
            }
            if (isEvidence(candidate, signatures)) {
                open.add(candidate);
            } else {
                dropped.merge(Drop.BAD_SIGNATURE, 1, Integer::sum);
            }
        }
        boolean grew = true;
        while (grew && !open.isEmpty()) { // in each round, more signers may gain standing
            grew = false;
            for (RosterEntry candidate : List.copyOf(open)) {
                if (result.objection(candidate).isPresent()) {
                    continue;
                }
                open.remove(candidate);
                Optional<Roster> larger = result.with(candidate);
                if (larger.isEmpty()) {
                    dropped.merge(Drop.FULL, 1, Integer::sum);
                } else if (!larger.get().equals(result)) {
                    result = larger.get();
                    fresh.add(candidate);
                    grew = true;
                }
            }
        }
        for (RosterEntry candidate : open) {
            result.objection(candidate).ifPresent(why -> dropped.merge(why, 1, Integer::sum));
        }
        return new Merged(result, List.copyOf(fresh), dropped);
    }

    private boolean isEvidence(RosterEntry entry, Signatures signatures) {
        return signatures.verify(entry.by(), RosterEncoding.words(namespace, entry), entry.signature());
    }

    private Optional<Drop> objection(RosterEntry entry) {
        return switch (entry) {
            case RosterEntry.Removal removal ->
                voices.contains(removal.by()) ? Optional.empty() : Optional.of(Drop.BAD_SIGNER);
            case RosterEntry.Grant grant when isRemoved(grant.subject()) -> Optional.of(Drop.REMOVED);
            case RosterEntry.Grant grant
            when grant.isRoot() ->
                (root.isEmpty() && charter.isEmpty()) || root.equals(Optional.of(grant.subject()))
                        ? Optional.empty()
                        : Optional.of(Drop.OTHER_FOUNDER);
            case RosterEntry.Grant grant ->
                members.contains(grant.by()) ? Optional.empty() : Optional.of(Drop.BAD_SIGNER);
        };
    }

    /** With one more entry, which has no objection; the same roster if the entry adds nothing, empty if there is no room. */
    private Optional<Roster> with(RosterEntry entry) {
        Key key = Key.of(entry);
        RosterEntry known = entries.get(key);
        if (known != null) {
            return RosterEntry.ORDER.compare(entry, known) < 0 ? Optional.of(replaced(key, entry)) : Optional.of(this);
        }
        long witnesses = entries.keySet().stream()
                .filter(other -> other.kind() == key.kind()
                        && other.subject().equals(key.subject())
                        && !isRemoved(other.by())) // entries of removed machines must not keep other entries out
                .count();
        if (witnesses >= WITNESSES_MAX) {
            return Optional.of(this);
        }
        return switch (entry) {
            case RosterEntry.Grant _ -> {
                Roster roomy = hasRoomForGrant() ? this : compacted();
                yield roomy.hasRoomForGrant() ? Optional.of(roomy.replaced(key, entry)) : Optional.empty();
            }
            case RosterEntry.Removal removal -> {
                Roster roomy = hasRoomForRemoval(removal) ? this : compacted();
                if (roomy.hasRoomForRemoval(removal)) {
                    yield Optional.of(roomy.replaced(key, entry));
                }
                yield isGranted(removal.subject()) && !isFullForGood()
                        ? Optional.of(roomy.ungranted(removal.subject()).replaced(key, entry))
                        : Optional.empty();
            }
        };
    }

    private Roster replaced(Key key, RosterEntry entry) {
        var next = new TreeMap<>(entries);
        next.put(key, entry);
        boolean founds = root.isEmpty() && entry instanceof RosterEntry.Grant grant && grant.isRoot();
        return new Roster(namespace, founds ? Optional.of(entry.subject()) : root, charter, next, marked);
    }

    /** Whether there is room for one more machine. */
    boolean hasRoom() {
        return hasRoomForGrant() || compacted().hasRoomForGrant();
    }

    private boolean hasRoomForGrant() {
        return entries.size() < ENTRIES_MAX && grants().size() < GRANTS_MAX && members.size() < GRANTS_MAX;
    }

    private boolean hasRoomForRemoval(RosterEntry.Removal removal) {
        if (entries.size() >= ENTRIES_MAX || isFullForGood()) {
            return false;
        }
        if (isGranted(removal.subject())) {
            return true;
        }
        List<RosterEntry> ungranted = entries.values().stream()
                .filter(other -> other instanceof RosterEntry.Removal
                        && !isGranted(other.subject())
                        && !isExcluded(other.subject())) // the next charter clears those
                .toList();
        return ungranted.size() < UNGRANTED_MAX
                && ungranted.stream()
                                .filter(other -> other.by().equals(removal.by()))
                                .count()
                        < UNGRANTED_BY_ONE_MAX;
    }

    /** Whether the number of machines removed since the namespace began reaches the number of marks in a charter. */
    private boolean isFullForGood() {
        return marks().size() >= ENTRIES_MAX;
    }

    /** Whether an entry grants the machine, or it was a member when the generation began. */
    private boolean isGranted(PeerId machine) {
        return base().contains(machine)
                || grants().stream().anyMatch(grant -> grant.subject().equals(machine));
    }

    /**
     * Without entries that have no effect: grants of or by removed machines, and second witnesses. Of the grants of a machine, the one
     * stays that is part of a chain from the founder or the charter's issuer, so that machines with an older charter find it too.
     */
    private Roster compacted() {
        var next = new TreeMap<Key, RosterEntry>();
        var reached = vouchers();
        boolean grew = true;
        while (grew) {
            grew = false;
            for (Map.Entry<Key, RosterEntry> each : entries.entrySet()) {
                boolean leads = each.getValue() instanceof RosterEntry.Grant grant
                        && reached.contains(grant.by())
                        && !isRemoved(grant.subject())
                        && reached.add(grant.subject());
                if (leads) {
                    next.put(each.getKey(), each.getValue());
                    grew = true;
                }
            }
        }
        var seen = new TreeSet<>(reached);
        entries.forEach((key, entry) -> {
            boolean counts = switch (entry) {
                case RosterEntry.Removal removal -> removal.equals(removals.get(removal.subject()));
                case RosterEntry.Grant grant ->
                    !isRemoved(grant.subject())
                            && (grant.isRoot() || (members.contains(grant.by()) && seen.add(grant.subject())));
            };
            if (counts) {
                next.put(key, entry);
            }
        });
        return new Roster(namespace, root, charter, next, marked);
    }

    private Roster ungranted(PeerId machine) {
        var next = new TreeMap<>(entries);
        next.values()
                .removeIf(entry ->
                        entry instanceof RosterEntry.Grant && entry.subject().equals(machine));
        return new Roster(namespace, root, charter, next, marked);
    }

    private List<RosterEntry.Grant> grants() {
        var grants = new ArrayList<RosterEntry.Grant>();
        for (RosterEntry entry : entries.values()) {
            if (entry instanceof RosterEntry.Grant grant) {
                grants.add(grant);
            }
        }
        return grants;
    }

    /**
     * Whether the standing of members does not depend on a removed founder. If it does, all granted machines are members until the charter
     * of the machine that removed the founder arrives.
     */
    boolean isAnchored() {
        return charter.isPresent() || root.isEmpty() || !isRemoved(root.get());
    }

    private SortedSet<PeerId> base() {
        return charter.map(Charter::memberSet)
                .orElseGet(() ->
                        root.map(founder -> new TreeSet<>(List.of(founder))).orElseGet(TreeSet::new));
    }

    /**
     * Base, and the signers of removals that count: such a signer may have removed its only granter, and then it vouches for the others.
     */
    private SortedSet<PeerId> first() {
        SortedSet<PeerId> first = base();
        removals.values().forEach(removal -> first.add(removal.by()));
        return first;
    }

    private SortedSet<PeerId> without(SortedSet<PeerId> machines) {
        machines.removeIf(this::isRemoved);
        return machines;
    }

    private boolean isExcluded(PeerId machine) {
        return !marked.isEmpty() && marked.contains(Charter.mark(machine));
    }

    private static Set<Bytes> marked(Optional<Charter> charter) {
        return charter.map(present -> Set.copyOf(present.removed())).orElse(Set.of());
    }

    /** One removal of each machine: the first one by a voice, in order. */
    private SortedMap<PeerId, RosterEntry.Removal> effective() {
        var effective = new TreeMap<PeerId, RosterEntry.Removal>();
        for (RosterEntry entry : entries.values()) {
            if (entry instanceof RosterEntry.Removal removal && voices.contains(removal.by())) {
                effective.putIfAbsent(removal.subject(), removal);
            }
        }
        return effective;
    }

    private Map<PeerId, List<PeerId>> granted() {
        Map<PeerId, List<PeerId>> granted = new HashMap<>(); // looked up, never iterated
        for (RosterEntry.Grant grant : grants()) {
            granted.computeIfAbsent(grant.by(), _ -> new ArrayList<>()).add(grant.subject());
        }
        return granted;
    }

    private static SortedSet<PeerId> closure(
            SortedSet<PeerId> start, Map<PeerId, List<PeerId>> granted, Predicate<PeerId> isOut) {
        var found = new TreeSet<PeerId>(start);
        var open = new ArrayList<>(start);
        while (!open.isEmpty()) {
            for (PeerId machine : granted.getOrDefault(open.removeLast(), List.of())) {
                if (!isOut.test(machine) && found.add(machine)) {
                    open.add(machine);
                }
            }
        }
        return found;
    }

    private static SortedMap<Key, RosterEntry> keyed(Collection<RosterEntry> entries) {
        var keyed = new TreeMap<Key, RosterEntry>();
        for (RosterEntry entry : entries) {
            keyed.merge(Key.of(entry), entry, (one, other) -> RosterEntry.ORDER.compare(one, other) <= 0 ? one : other);
        }
        return keyed;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Roster that
                && namespace.equals(that.namespace)
                && root.equals(that.root)
                && charter.equals(that.charter)
                && entries.equals(that.entries);
    }

    @Override
    public int hashCode() {
        return entries.hashCode();
    }

    @Override
    public String toString() {
        return "Roster[" + namespace + ", " + entries.size() + " entries, " + members.size() + " members, "
                + removals.size() + " removed]";
    }
}
