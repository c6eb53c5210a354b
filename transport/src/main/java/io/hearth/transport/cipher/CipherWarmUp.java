package io.hearth.transport.cipher;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.hearth.core.Clock;
import io.hearth.transport.RecordHeader;
import io.hearth.transport.cipher.RecordCipher.Suite;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.AEADBadTagException;

/**
 * Makes Java compile the code of a cipher before records need it. Runs on its own thread, once for each process.
 *
 * <p>In a young process a record of 128 KiB takes some milliseconds to seal, and the same to open. It takes 0.03 ms when Java has compiled
 * the code that uses the processor's instructions, which it does after 5,000 calls of any length. A call with top-k sends five records, so
 * without this class its first hundred calls would be slow. The records here have the shortest length that runs the code of long ones, so
 * the warm-up takes half a second and not one and a half.
 */
public final class CipherWarmUp {
    /** Least number of records sealed and opened; each runs the common code of both twice. */
    static final int PAIRS_MIN = 4_000;

    /** Time without a faster pair after which the code counts as compiled. */
    static final long STEADY_NANOS = 200_000_000L;

    static final long NANOS_MAX = 20_000_000_000L;
    private static final double FASTER = 0.9;

    /** The JDK runs other code for less than 7,680 bytes. */
    private static final int RECORD_BYTES = 8 * 1024;

    private static final int C2_LEVEL = 4;

    /** Static, because compiled code belongs to the process. Written by each thread that opens links. */
    private static final Set<Suite> BEGUN = ConcurrentHashMap.newKeySet();

    /** The suites whose warm-up is over, likewise. */
    private static final Set<Suite> OVER = ConcurrentHashMap.newKeySet();

    private final RecordCipher sealer;
    private final RecordCipher opener;
    private final Clock clock;
    private final byte[] record = new byte[RecordHeader.BYTES + RECORD_BYTES + RecordCipher.TAG_BYTES];
    private final byte[] opened = new byte[RECORD_BYTES];

    /** Takes two ciphers with the same key, and owns them. */
    CipherWarmUp(RecordCipher sealer, RecordCipher opener, Clock clock) {
        this.sealer = sealer;
        this.opener = opener;
        this.clock = clock;
    }

    /** Starts the warm-up, unless this process started it before. Returns at once; the thread ends by itself within seconds. */
    public static void begin(Suite suite) {
        if (BEGUN.add(suite)) {
            Thread.ofPlatform().name("hearth-warm-up").daemon(true).start(() -> {
                try {
                    if (compilesFully()) {
                        of(suite).run();
                    }
                } finally {
                    OVER.add(suite);
                }
            });
        }
    }

    /** Whether no warm-up runs, so that the speed of a stream is that of its link. */
    public static boolean isOver() {
        return OVER.containsAll(BEGUN);
    }

    /** Whether this process started the warm-up. */
    static boolean isBegun(Suite suite) {
        return BEGUN.contains(suite);
    }

    /** A warm-up with a random key that protects nothing. */
    static CipherWarmUp of(Suite suite) {
        return new CipherWarmUp(cipher(suite), cipher(suite), Clock.system());
    }

    private static RecordCipher cipher(Suite suite) {
        return new AeadCipher(suite, new byte[StreamKeys.KEY_BYTES], Long.MAX_VALUE);
    }

    /** Whether both compilers run: a process with only the first one, such as the agent, never gets the fast code. */
    private static boolean compilesFully() {
        try {
            HotSpotDiagnosticMXBean java = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            return java == null
                    || Integer.parseInt(java.getVMOption("TieredStopAtLevel").getValue()) >= C2_LEVEL;
        } catch (IllegalArgumentException notSaid) {
            return true;
        }
    }

    /** Seals and opens records. Returns the number of pairs. */
    int run() {
        try {
            long begun = clock.nanoTime();
            long now = begun;
            long fastest = Long.MAX_VALUE;
            long sinceNanos = begun; // time of the fastest pair
            int pairs = 0;
            while ((pairs < PAIRS_MIN || now - sinceNanos < STEADY_NANOS) && now - begun < NANOS_MAX) {
                pair(pairs);
                pairs++;
                long took = clock.nanoTime() - now;
                now += took;
                if ((double) took < FASTER * (double) fastest) {
                    fastest = took;
                    sinceNanos = now;
                }
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
