package io.hearth.transport;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.hearth.core.Clock;
import io.hearth.transport.RecordCipher.Suite;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.AEADBadTagException;

/**
 * Has the code of a cipher compiled before records need it, on a thread of its own, once for each process.
 *
 * <p>In a young process a record of 128 KiB takes some milliseconds to seal, and as many to open. After 400 to 1,000 of them Java has
 * compiled the code that uses the processor's instructions, and one takes 0.03 ms. A call with top-k sends five records, so without
 * this its first hundred calls would be slow. Small records do not help: Java counts the blocks of one record.
 */
final class CipherWarmUp {
    /** Pairs of records, at most: sealed and opened. */
    static final int PAIRS_MAX = 1_000;

    static final long NANOS_MAX = 5_000_000_000L;

    /** After that many fast pairs in a row nothing more is to be gained. */
    static final int FAST_PAIRS = 200;

    /** A pair that takes a twentieth of the first one is fast. */
    private static final int FASTER = 20;

    private static final int RECORD_BYTES = 128 * 1024;
    private static final int C2_LEVEL = 4;

    /** Compiled code belongs to the process, and so does this. Written by all that have links. */
    private static final Set<Suite> BEGUN = ConcurrentHashMap.newKeySet();

    private final RecordCipher sealer;
    private final RecordCipher opener;
    private final Clock clock;
    private final byte[] record = new byte[RecordHeader.BYTES + RECORD_BYTES + RecordCipher.TAG_BYTES];
    private final byte[] opened = new byte[RECORD_BYTES];

    /** Ciphers with the same key, given away. */
    CipherWarmUp(RecordCipher sealer, RecordCipher opener, Clock clock) {
        this.sealer = sealer;
        this.opener = opener;
        this.clock = clock;
    }

    /** Begins it, if it was not begun in this process. Returns at once; the thread ends by itself, in seconds. */
    static void begin(Suite suite) {
        if (BEGUN.add(suite)) {
            Thread.ofPlatform().name("hearth-warm-up").daemon(true).start(() -> {
                if (compilesFully()) {
                    of(suite).run();
                }
            });
        }
    }

    /** Whether it was begun in this process. */
    static boolean isBegun(Suite suite) {
        return BEGUN.contains(suite);
    }

    /** Of keys that nobody else has and that protect nothing. */
    static CipherWarmUp of(Suite suite) {
        return new CipherWarmUp(cipher(suite), cipher(suite), Clock.system());
    }

    private static RecordCipher cipher(Suite suite) {
        return new AeadCipher(suite, new byte[StreamKeys.KEY_BYTES], Long.MAX_VALUE);
    }

    /** A process with the first compiler alone, such as the agent, never gets the fast code. */
    private static boolean compilesFully() {
        try {
            HotSpotDiagnosticMXBean java = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            return java == null
                    || Integer.parseInt(java.getVMOption("TieredStopAtLevel").getValue()) >= C2_LEVEL;
        } catch (IllegalArgumentException notSaid) {
            return true;
        }
    }

    /** Seals and opens until it is fast; how many pairs that took. */
    int run() {
        try {
            long begun = clock.nanoTime();
            long first = 0;
            int pairs = 0;
            int fast = 0;
            for (long since = begun; pairs < PAIRS_MAX && fast < FAST_PAIRS && since - begun < NANOS_MAX; pairs++) {
                pair(pairs);
                long until = clock.nanoTime();
                first = pairs == 0 ? until - since : first;
                fast = until - since <= first / FASTER ? fast + 1 : 0;
                since = until;
            }
            return pairs;
        } finally {
            sealer.destroy();
            opener.destroy();
        }
    }

    private void pair(int number) {
        Arrays.fill(record, RecordHeader.BYTES, RecordHeader.BYTES + Long.BYTES, (byte) number);
        RecordHeader.write(record, RECORD_BYTES, RecordHeader.USER_MIN, 0, number, 0);
        sealer.seal(record, RECORD_BYTES);
        try {
            opener.open(record, RECORD_BYTES, opened);
        } catch (AEADBadTagException bug) {
            throw new AssertionError("pair " + number + " of the warm-up did not open", bug);
        }
    }
}
