package io.hearth.identity.roster;

import io.hearth.core.Bytes;
import io.hearth.identity.PeerId;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The statement that a member signs when it makes a new secret: generation and key id of the secret, the members, and the removed machines.
 *
 * <p>It is the root of its generation, in place of the founder. So the removal of a founder removes no other machine. Later signatures of a
 * removed machine do not count, because it is not a member of any later generation.
 *
 * @param generation of the secret, 2 or more
 * @param keyId of the secret, 8 bytes
 * @param issuer the machine that made and signed it; one of {@code members}
 * @param epochMillis the issuer's wall clock, for people only
 * @param members in this generation when it began, in order
 * @param removed marks ({@link #mark}) of all machines that were removed when it began, in order of their hexadecimal digits
 * @param signature 64 bytes of Ed25519 over {@link RosterEncoding#words}
 */
public record Charter(
        int generation,
        Bytes keyId,
        PeerId issuer,
        long epochMillis,
        List<PeerId> members,
        List<Bytes> removed,
        Bytes signature) {
    /** Bytes of the mark of a removed machine. */
    public static final int MARK_BYTES = 16;

    /** Bytes of a secret's id. */
    public static final int KEY_ID_BYTES = 8;

    /** First generation that has a charter; the first secret of all has a founder instead. */
    public static final int GENERATION_MIN = 2;

    public Charter {
        members = List.copyOf(new TreeSet<>(members));
        removed = removed.stream()
                .distinct()
                .sorted((one, other) -> one.hex().compareTo(other.hex()))
                .toList();
        if (generation < GENERATION_MIN
                || keyId.size() != KEY_ID_BYTES
                || members.size() > Roster.GRANTS_MAX
                || removed.size() > Roster.ENTRIES_MAX
                || !members.contains(issuer)
                || removed.stream().anyMatch(mark -> mark.size() != MARK_BYTES)) {
            throw new IllegalArgumentException(
                    "a charter must have a generation of 2 or more, at most " + Roster.GRANTS_MAX
                            + " members, its issuer among" + " them, and at most " + Roster.ENTRIES_MAX
                            + " marks of removed machines");
        }
    }

    /** A charter over those machines, not signed yet. */
    static Charter of(
            int generation,
            Bytes keyId,
            PeerId issuer,
            long epochMillis,
            Collection<PeerId> members,
            Collection<Bytes> removed) {
        return new Charter(
                generation, keyId, issuer, epochMillis, List.copyOf(members), List.copyOf(removed), Bytes.EMPTY);
    }

    /** The same with another signature. */
    Charter signed(Bytes given) {
        return new Charter(generation, keyId, issuer, epochMillis, members, removed, given);
    }

    /** The mark of a removed machine: the first half of its key. */
    public static Bytes mark(PeerId machine) {
        return Bytes.of(Arrays.copyOf(machine.publicKey(), MARK_BYTES));
    }

    /** The members as a set. */
    SortedSet<PeerId> memberSet() {
        return new TreeSet<>(members);
    }
}
