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
 * Has the code of a cipher compiled before records need it, on a thread of its own, once for each process.
 *
 * <p>In a young process a record of 128 KiB takes some milliseconds to seal, and as many to open; when Java has compiled the code that
 * uses the processor's instructions, 0.03 ms. It does after 5,000 calls, whatever their length. A call with top-k sends five records, so
 * without this its first hundred calls would be slow. The records here are as short as they may be and still take the way of long ones,
 * so half a second does what would take a second and a half with long ones.
 */
public final class CipherWarmUp {
    /** Records sealed and opened; each takes the code that both have in common twice. */
    static final int PAIRS = 4_000;

    static final long NANOS_MAX = 5_000_000_000L;

    /** The JDK has another way for less than 7,680 bytes. */
    private static final int RECORD_BYTES = 8 * 1024;

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
    public static void begin(Suite suite) {
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

    /** Seals and opens; how many pairs there was time for. */
    int run() {
        try {
            long begun = clock.nanoTime();
            int pairs = 0;
            while (pairs < PAIRS && clock.nanoTime() - begun < NANOS_MAX) {
                pair(pairs);
                pairs++;
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
