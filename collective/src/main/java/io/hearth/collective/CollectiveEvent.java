package io.hearth.collective;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** {@code hearth.Collective} of the JDK's flight recorder: one attempt at one collective, and where its time went. */
@Name("hearth.Collective")
@Label("Collective")
@Category("Hearth")
@Description(
        "One attempt at one collective on this rank. Sending and receiving overlap: the parts may exceed the duration.")
@StackTrace(false)
final class CollectiveEvent extends Event {
    private static final CollectiveEvent PROBE = new CollectiveEvent(); // never begun: asked only

    /** Whether a recording has these events switched on; if none has, a call makes no event. */
    static boolean isWanted() {
        return PROBE.isEnabled();
    }

    @Label("Number")
    long number;

    @Label("Kind")
    String kind = "";

    @Label("Bytes")
    @DataAmount
    long bytes;

    @Label("World")
    int world;

    @Label("Algorithm")
    String algorithm = "";

    @Label("Completed")
    boolean completed;

    @Label("Wait")
    @Description("The sender had to receive something first")
    @Timespan(Timespan.NANOSECONDS)
    long waiting;

    @Label("Encode")
    @Description("Making what is compressed of values")
    @Timespan(Timespan.NANOSECONDS)
    long encode;

    @Label("Seal")
    @Description("Encrypting")
    @Timespan(Timespan.NANOSECONDS)
    long seal;

    @Label("Send")
    @Description("Writing, with a wait for room")
    @Timespan(Timespan.NANOSECONDS)
    long send;

    @Label("Receive")
    @Description("Waiting for bytes")
    @Timespan(Timespan.NANOSECONDS)
    long receive;

    @Label("Open")
    @Description("Decrypting")
    @Timespan(Timespan.NANOSECONDS)
    long open;

    @Label("Decode")
    @Description("Making values of what is compressed, and adding them where codecs do both in one")
    @Timespan(Timespan.NANOSECONDS)
    long decode;

    @Label("Combine")
    @Timespan(Timespan.NANOSECONDS)
    long combine;

    @Label("Copy")
    @Timespan(Timespan.NANOSECONDS)
    long copy;
}
