package io.hearth.identity;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * A slot of this machine's identity, held by one node until it ends: no two nodes hold the same slot at a time.
 *
 * <p>Each lease has an incarnation above those of all earlier leases of its slot, even after a crash and if the clock was set back: it is
 * on disk before it is used. So if two nodes claim a slot, the others know which one is outdated.
 */
public final class SlotLease implements AutoCloseable {
    /** The slot of a command that joins only to watch. */
    public static final String WAIT = "wait";

    /** The slot of the command that shows a pairing code: one code at a time. */
    public static final String PAIR = "pair";

    /** The slot of the command that takes a pairing code. */
    public static final String JOIN = "join";

    /** Trainers of one machine at a time. */
    public static final int TRAINERS_MAX = 64;

    /** Number of random bytes that distinguish two starts. */
    public static final int BOOT_ID_BYTES = 16;

    private static final String TRAINER = "trainer-";
    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,17}\\n");
    private static final int NUMBER_BYTES_MAX = 64;

    private final LockFile lock;
    private final String slot;
    private final long incarnation;
    private final Bytes bootId;
    private final Optional<Path> damaged;

    private SlotLease(LockFile lock, String slot, long incarnation, Bytes bootId, Optional<Path> damaged) {
        this.lock = lock;
        this.slot = slot;
        this.incarnation = incarnation;
        this.bootId = bootId;
        this.damaged = damaged;
    }

    /**
     * Takes a slot of which each machine has one.
     *
     * @param slot {@link NodeId#AGENT}, {@link #WAIT}, {@link #PAIR} or {@link #JOIN}
     * @param clock its wall time is the least that a first incarnation is
     * @throws SetupException if another node holds the slot, or the folder cannot be written
     */
    public static SlotLease single(HearthHome home, String slot, Clock clock) throws SetupException {
        Path folder = home.subfolder("slots");
        LockFile lock = LockFile.tryLock(folder.resolve(slot + ".lock"))
                .orElseThrow(
                        () -> new SetupException("cannot start as " + slot + ": another Hearth process with the home "
                                + home + " runs as it already; end that one, or set HEARTH_HOME to another folder"));
        return held(lock, folder, slot, clock);
    }

    /**
     * Takes the first free slot of {@code trainer-0} to {@code trainer-63}.
     *
     * @param clock its wall time is the least that a first incarnation is
     * @throws SetupException if none is free, or the folder cannot be written
     */
    public static SlotLease trainer(HearthHome home, Clock clock) throws SetupException {
        Path folder = home.subfolder("slots");
        for (int number = 0; number < TRAINERS_MAX; number++) {
            String slot = TRAINER + number;
            Optional<LockFile> lock = LockFile.tryLock(folder.resolve(slot + ".lock"));
            if (lock.isPresent()) {
                return held(lock.get(), folder, slot, clock);
            }
        }
        throw new SetupException("cannot start a trainer: " + TRAINERS_MAX + " trainers run already with the home "
                + home + "; end some, or set HEARTH_HOME to another folder");
    }

    /** The slot, as in {@link NodeId#slot()}. */
    public String slot() {
        return slot;
    }

    /** The incarnation: above 0, and above that of every earlier lease of this slot. */
    public long incarnation() {
        return incarnation;
    }

    /** {@link #BOOT_ID_BYTES} random bytes. */
    public Bytes bootId() {
        return bootId;
    }

    /**
     * The new path of the slot's stored number if it was unreadable; the incarnation comes from the clock alone then. The caller reports
     * it.
     */
    public Optional<Path> damaged() {
        return damaged;
    }

    /** Releases the slot; the operating system does so if the process dies. */
    @Override
    public void close() {
        lock.close();
    }

    @Override
    public String toString() {
        return "SlotLease[" + slot + ", incarnation " + incarnation + "]";
    }

    private static SlotLease held(LockFile lock, Path folder, String slot, Clock clock) throws SetupException {
        boolean kept = false;
        try {
            Path file = folder.resolve(slot + ".incarnation");
            Optional<byte[]> content = OwnFile.read(file, NUMBER_BYTES_MAX);
            OptionalLong stored = content.map(SlotLease::number).orElse(OptionalLong.of(0));
            Optional<Path> damaged = stored.isPresent()
                    ? Optional.empty()
                    : Optional.of(OwnFile.setAside(file, "damaged", clock.epochMillis()));
            long incarnation = Math.max(stored.orElse(0) + 1, clock.epochMillis());
            OwnFile.replace(file, (incarnation + "\n").getBytes(StandardCharsets.US_ASCII));
            byte[] bootId = new byte[BOOT_ID_BYTES];
            new SecureRandom().nextBytes(bootId);
            var lease = new SlotLease(lock, slot, incarnation, Bytes.of(bootId), damaged);
            kept = true;
            return lease;
        } finally {
            if (!kept) {
                lock.close();
            }
        }
    }

    private static OptionalLong number(byte[] content) {
        String text = new String(content, StandardCharsets.US_ASCII);
        return NUMBER.matcher(text).matches() ? OptionalLong.of(Long.parseLong(text.strip())) : OptionalLong.empty();
    }
}
