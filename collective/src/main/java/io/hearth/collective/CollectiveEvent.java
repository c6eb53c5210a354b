package io.hearth.collective;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** {@code hearth.Collective} of the JDK's flight recorder: one attempt at one collective, with its time by phase. */
@Name("hearth.Collective")
@Label("Collective")
@Category("Hearth")
@Description(
        "One attempt at one collective on this rank. Sending and receiving overlap: the parts may exceed the duration.")
@StackTrace(false)
public final class CollectiveEvent extends Event {
    private static final CollectiveEvent PROBE = new CollectiveEvent(); // never begun: serves isWanted only

    /** Whether a recording has enabled these events; otherwise a call creates no event. */
    public static boolean isWanted() {
        return PROBE.isEnabled();
    }

    @Label("Number")
    public long number;

    @Label("Kind")
    public String kind = "";

    @Label("Bytes")
    @DataAmount
    public long bytes;

    @Label("World")
    public int world;

    @Label("Algorithm")
    public String algorithm = "";

    @Label("Completed")
    public boolean completed;

    @Label("Wait")
    @Description("The sender had to receive something first")
    @Timespan(Timespan.NANOSECONDS)
    public long waiting;

    @Label("Encode")
    @Description("Compressing values")
    @Timespan(Timespan.NANOSECONDS)
    public long encode;

    @Label("Seal")
    @Description("Encrypting")
    @Timespan(Timespan.NANOSECONDS)
    public long seal;

    @Label("Send")
    @Description("Writing, including the wait for buffer space")
    @Timespan(Timespan.NANOSECONDS)
    public long send;

    @Label("Receive")
    @Description("Waiting for bytes")
    @Timespan(Timespan.NANOSECONDS)
    public long receive;

    @Label("Open")
    @Description("Decrypting")
    @Timespan(Timespan.NANOSECONDS)
    public long open;

    @Label("Decode")
    @Description("Decompressing values; includes adding them for codecs that do both at once")
    @Timespan(Timespan.NANOSECONDS)
    public long decode;

    @Label("Combine")
    @Timespan(Timespan.NANOSECONDS)
    public long combine;

    @Label("Copy")
    @Timespan(Timespan.NANOSECONDS)
    public long copy;
}
