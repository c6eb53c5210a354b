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
 * Who belongs to a namespace, as far as this machine knows: a set of signed entries that only grows, and the standing that follows.
 *
 * <pre>
 * base      the members of the generation's charter; without one, the founder
 * voices    base, and whoever a voice granted, but for those whom the charter excludes: their removals count
 * removed   those whom the charter excludes, and whoever a voice removed: for ever, whatever grants say
 * members   base, whose removals count, and whoever a member granted, but for the removed: their grants count
 *           (while the founder is removed and no charter is known: all voices but the removed)
 * </pre>
 *
 * <p>Voices are more than members so that two members who remove one another are both out, in whatever order the two entries come.
 * A charter ends that: who is excluded by it is no voice any more, so what a stolen machine signs later counts nowhere.
 *
 * <p>Room: grants fill at most {@value #GRANTS_MAX} places. The removal of a machine that was granted takes the place of its grants
 * if there is no other, so it always finds room. Removals of machines that nobody granted have {@value #UNGRANTED_MAX} places and each
 * signer {@value #UNGRANTED_BY_ONE_MAX} of them, so that one member cannot fill the roster. Nothing is evicted that has an effect.
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

    /** The same of one signer. */
    public static final int UNGRANTED_BY_ONE_MAX = 64;

    /** Most entries of one kind about one machine. */
    static final int WITNESSES_MAX = 4;

    /** Why an entry was not taken over. */
    public enum Drop {
        /** The signature is not the signer's. */
        BAD_SIGNATURE,
        /** The signer has no standing here: it was never granted, or it was removed. */
        BAD_SIGNER,
        /** It grants a machine that was removed. */
        REMOVED,
        /** It founds, and there is another founder here. */
        OTHER_FOUNDER,
        /** There is no room. */
        FULL
    }

    /**
     * What came of taking entries over.
     *
     * @param fresh those that are new here
     * @param dropped how many were not taken over, by reason
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
    private final Set<Bytes> marked; // of the charter; looked up, never iterated
    private final SortedMap<Key, RosterEntry> entries;
    private final SortedSet<PeerId> voices;
    private final SortedMap<PeerId, RosterEntry.Removal> removals;
    private final SortedSet<PeerId> members;

    /** A roster of those entries; their signatures were checked by whoever wrote them, or are not believed. */
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

    /** Nobody has founded the namespace yet, as far as this machine knows. */
    public static Roster empty(String namespace) {
        return new Roster(namespace, Optional.empty(), Optional.empty(), List.of());
    }

    /** The namespace that all signatures are for. */
    public String namespace() {
        return namespace;
    }

    /** Who founded the namespace; once known, never another. */
    public Optional<PeerId> root() {
        return root;
    }

    /** Of the secret's generation; empty in the first one. */
    public Optional<Charter> charter() {
        return charter;
    }

    /** All entries, in {@link RosterEntry#ORDER} of kind, subject and signer. */
    public List<RosterEntry> entries() {
        return List.copyOf(entries.values());
    }

    /** Who belongs. */
    public SortedSet<PeerId> members() {
        return new TreeSet<>(members);
    }

    /** Whether the machine belongs. */
    public boolean isMember(PeerId machine) {
        return members.contains(machine);
    }

    /** Whether the machine is out, for ever. */
    public boolean isRemoved(PeerId machine) {
        return removals.containsKey(machine) || isExcluded(machine);
    }

    /** Whether what the machine says of others' removal counts. */
    boolean isVoice(PeerId machine) {
        return voices.contains(machine);
    }

    /** The entry by which a machine is out; empty also where only the charter says so. */
    public Optional<RosterEntry.Removal> removal(PeerId machine) {
        return Optional.ofNullable(removals.get(machine));
    }

    /** All that are out by an entry, in order. */
    public List<RosterEntry.Removal> removals() {
        return List.copyOf(removals.values());
    }

    /** The grant to show of a machine: one that counts before others, then the oldest. */
    public Optional<RosterEntry.Grant> grant(PeerId machine) {
        return grants().stream()
                .filter(grant -> grant.subject().equals(machine))
                .min(Comparator.<RosterEntry.Grant>comparingInt(grant -> members.contains(grant.by()) ? 0 : 1)
                        .thenComparingLong(RosterEntry.Grant::epochMillis)
                        .thenComparing(RosterEntry.Grant::by));
    }

    /** Members that only {@code granter} vouches for, so that a person has to say whether they stay when it is removed. */
    public SortedSet<PeerId> introducedBy(PeerId granter) {
        return introducedBy(Set.of(granter), Set.of());
    }

    /**
     * Members that nobody else vouches for than those who go: no way of grants leads to them from the founder, from the issuer of the
     * charter or from a machine that stays for sure. Of a chain of such members the first is named, the next ones once it goes, too.
     *
     * @param out who goes
     * @param sure who stays: the machine that removes them, and whom a person said to keep
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

    /** Members to whom no way of grants leads from the founder or the issuer of the charter, but over machines that were removed. */
    SortedSet<PeerId> unsupported() {
        SortedSet<PeerId> supported = closure(vouchers(), vouches(), this::isRemoved);
        SortedSet<PeerId> found = members();
        found.removeAll(supported);
        return found;
    }

    /** Whose word is enough for others' standing: the founder, and who made the secret. */
    private SortedSet<PeerId> vouchers() {
        var vouchers = new TreeSet<PeerId>();
        root.ifPresent(vouchers::add);
        charter.ifPresent(current -> vouchers.add(current.issuer()));
        return without(vouchers);
    }

    /** Who vouches for whom: by grants, and by the charter for those of its members whom no entry grants. */
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
     * What in another generation's charter does not follow from what is known here; empty if all of it does. A charter is its issuer's
     * word, and a stolen machine that is not known as removed yet is an issuer like any other. So it may list only whom entries grant,
     * mark only whom entries remove, and has to carry on every member and every mark.
     */
    public Optional<String> objection(Charter next) {
        Roster after = under(next);
        SortedSet<PeerId> listed = next.memberSet();
        listed.removeIf(machine -> voices.contains(machine) || isRemoved(machine));
        if (!listed.isEmpty()) {
            return Optional.of("it lists machine " + listed.first().shortText() + ", which nobody granted");
        }
        var marked = new TreeMap<String, Bytes>();
        next.removed().forEach(mark -> marked.put(mark.hex(), mark));
        var open = new TreeSet<>(marked.keySet());
        open.removeAll(marks().keySet());
        if (!open.isEmpty()) {
            return Optional.of("it marks machine " + open.first() + " as removed, which nobody removed");
        }
        var known = new TreeSet<String>();
        charter.ifPresent(current -> current.removed().forEach(mark -> known.add(mark.hex())));
        removals.keySet().forEach(machine -> known.remove(Charter.mark(machine).hex())); // entries go on by themselves
        known.removeAll(marked.keySet());
        if (!known.isEmpty()) {
            return Optional.of("it does not mark machine " + known.first() + ", which was removed");
        }
        SortedSet<PeerId> left = members();
        left.removeIf(machine -> after.isMember(machine) || after.isRemoved(machine));
        left.removeAll(unsupported());
        return left.isEmpty()
                ? Optional.empty()
                : Optional.of("it leaves out machine " + left.first().shortText() + ", which nobody removed");
    }

    /** Removed machines that held the secret when it was new, so that it has to be replaced. */
    public SortedSet<PeerId> uncovered() {
        var open = new TreeSet<PeerId>();
        removals.keySet().stream().filter(machine -> !isExcluded(machine)).forEach(open::add);
        return open;
    }

    /** Marks of all that are out, for the next charter. */
    SortedMap<String, Bytes> marks() {
        var marks = new TreeMap<String, Bytes>();
        charter.ifPresent(current -> current.removed().forEach(mark -> marks.put(mark.hex(), mark)));
        removals.keySet().forEach(machine -> {
            Bytes mark = Charter.mark(machine);
            marks.put(mark.hex(), mark);
        });
        return marks;
    }

    /** Under the charter of another generation: removals by machines that it gives no voice are gone. */
    Roster under(Charter next) {
        Set<Bytes> marks = marked(Optional.of(next));
        var all = new Roster(namespace, root, Optional.of(next), entries, marks);
        var kept = new TreeMap<>(entries);
        kept.values().removeIf(entry -> entry instanceof RosterEntry.Removal && !all.isRemoved(entry.subject()));
        if (kept.size() > ENTRIES_MAX / 2) { // covered twice: whoever was away for one generation has the mark itself
            kept.values()
                    .removeIf(entry -> entry instanceof RosterEntry.Removal
                            && isExcluded(entry.subject())
                            && all.isExcluded(entry.subject()));
        }
        return new Roster(namespace, root, Optional.of(next), kept, marks);
    }

    /** Whether the charter's issuer signed it for this namespace. */
    public boolean isSigned(Charter given, Signatures signatures) {
        return signatures.verify(given.issuer(), RosterCodec.words(namespace, given), given.signature());
    }

    /** With the charter of the present generation, where none is known. */
    public Roster chartered(Charter present) {
        return charter.isPresent() ? this : under(present);
    }

    /** 32 bytes that two rosters share exactly if the same machines belong, and the same are out. */
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
     * Takes over what others say, as far as it is signed by a machine with standing.
     *
     * @param candidates in any order; what is here already is passed over
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
        while (grew && !open.isEmpty()) { // each round, more signers may have standing
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
        return signatures.verify(entry.by(), RosterCodec.words(namespace, entry), entry.signature());
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

    /** With one more entry that nothing speaks against; the same if it says nothing new, empty if there is no room. */
    private Optional<Roster> with(RosterEntry entry) {
        Key key = Key.of(entry);
        RosterEntry known = entries.get(key);
        if (known != null) {
            return RosterEntry.ORDER.compare(entry, known) < 0 ? Optional.of(replaced(key, entry)) : Optional.of(this);
        }
        long witnesses = entries.keySet().stream()
                .filter(other -> other.kind() == key.kind()
                        && other.subject().equals(key.subject())
                        && !isRemoved(other.by())) // what a removed machine signed must not keep others' word out
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

    /** Whether one more machine finds a place. */
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
                        && !isExcluded(other.subject())) // the next charter clears those away
                .toList();
        return ungranted.size() < UNGRANTED_MAX
                && ungranted.stream()
                                .filter(other -> other.by().equals(removal.by()))
                                .count()
                        < UNGRANTED_BY_ONE_MAX;
    }

    /** As many machines were removed in the life of this namespace as a charter has marks for. */
    private boolean isFullForGood() {
        return marks().size() >= ENTRIES_MAX;
    }

    /** Whether some entry grants the machine, or it was a member when the generation began. */
    private boolean isGranted(PeerId machine) {
        return base().contains(machine)
                || grants().stream().anyMatch(grant -> grant.subject().equals(machine));
    }

    /**
     * Without entries that have no effect: grants of or by removed machines, second witnesses. Of the grants of a machine that one stays
     * over which a way leads from the founder or the charter's issuer, so that also those find it who have an older charter.
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
     * Whether the standing of members rests on something else than the founder that was removed. If not, all whom anybody granted are
     * members until the charter of the machine that removed it comes.
     */
    boolean isAnchored() {
        return charter.isPresent() || root.isEmpty() || !isRemoved(root.get());
    }

    private SortedSet<PeerId> base() {
        return charter.map(Charter::memberSet)
                .orElseGet(() ->
                        root.map(founder -> new TreeSet<>(List.of(founder))).orElseGet(TreeSet::new));
    }

    /** Base, and whoever signed a removal that counts: it may be its only granter whom it removed, and then it vouches for the others. */
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

    /** One removal of each machine: the first in order by a voice. */
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
