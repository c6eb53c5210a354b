package io.hearth.identity.roster;

import io.hearth.core.Bytes;
import io.hearth.identity.Labels;
import io.hearth.identity.PeerId;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;

/**
 * One signed statement about a machine. Of two entries of the same kind, by the same signer and about the same machine, the first in
 * {@link #ORDER} counts. So a union does not depend on the order in which it is made.
 */
public sealed interface RosterEntry {
    /** Most bytes of an entry on the wire and on disk. */
    int BYTES_MAX = 256;

    /** Most bytes of a label in UTF-8. */
    int LABEL_BYTES_MAX = 96;

    /** Removals before grants, then by subject, signer and signature. */
    Comparator<RosterEntry> ORDER = Comparator.<RosterEntry>comparingInt(entry -> entry instanceof Removal ? 0 : 1)
            .thenComparing(RosterEntry::subject)
            .thenComparing(RosterEntry::by)
            .thenComparingLong(RosterEntry::epochMillis)
            .thenComparing(entry -> entry.signature().hex());

    /** The machine that the entry is about. */
    PeerId subject();

    /** The machine that signed it. */
    PeerId by();

    /** The time of the signature by the signer's wall clock: for people only, no decision depends on it. */
    long epochMillis();

    /** 64 bytes of Ed25519 over {@link RosterEncoding#words}. */
    Bytes signature();

    /** The same with another signature. */
    RosterEntry signed(Bytes signature);

    /**
     * The machine belongs to the namespace.
     *
     * @param label its name for people; clean, at most {@value #LABEL_BYTES_MAX} bytes
     */
    record Grant(PeerId subject, PeerId by, String label, GrantKind how, long epochMillis, Bytes signature)
            implements RosterEntry {
        public Grant {
            label = shortened(Labels.clean(label));
            if ((how == GrantKind.FOUNDED) != subject.equals(by)) {
                throw new IllegalArgumentException("a founder must sign its own entry, and no other machine may");
            }
        }

        /** Whether it is the founder's entry. */
        public boolean isRoot() {
            return how == GrantKind.FOUNDED;
        }

        @Override
        public Grant signed(Bytes given) {
            return new Grant(subject, by, label, how, epochMillis, given);
        }

        private static String shortened(String clean) {
            String cut = clean;
            while (cut.getBytes(StandardCharsets.UTF_8).length > LABEL_BYTES_MAX) {
                cut = cut.substring(0, cut.offsetByCodePoints(cut.length(), -1));
            }
            return cut.strip();
        }
    }

    /** The machine is removed from the namespace for ever, whatever grants say. */
    record Removal(PeerId subject, PeerId by, long epochMillis, Bytes signature) implements RosterEntry {
        public Removal {
            if (subject.equals(by)) {
                throw new IllegalArgumentException("a machine must not remove itself");
            }
        }

        @Override
        public Removal signed(Bytes given) {
            return new Removal(subject, by, epochMillis, given);
        }
    }
}
