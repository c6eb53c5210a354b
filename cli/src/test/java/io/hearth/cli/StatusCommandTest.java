package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonObject;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class StatusCommandTest {
    @Test
    void mdnsIsSpokenOfWhenSomethingIsOutOfTheOrdinary() {
        assertEquals(Optional.empty(), StatusCommand.mdns(counters(0, 0, "")));
        assertEquals(
                Optional.of("mDNS on en0: 7 packets dropped (malformed, too large, too many or off the link)"),
                StatusCommand.mdns(counters(7, 0, "")));
        assertEquals(
                Optional.of("mDNS on en0: mDNS listener restarted 1 time (its listener ended)"),
                StatusCommand.mdns(counters(0, 1, "its listener ended")));
        assertEquals(
                Optional.of("mDNS on en0: 7 packets dropped (malformed, too large, too many or off the link), mDNS"
                        + " listener restarted 2 times (its listener ended)"),
                StatusCommand.mdns(counters(7, 2, "its listener ended")));
    }

    private static JsonObject counters(long dropped, long restarted, String why) {
        var counters = new JsonObject();
        counters.addProperty("interface", "en0");
        counters.addProperty("dropped", dropped);
        counters.addProperty("restarted", restarted);
        counters.addProperty("restart_reason", why);
        return counters;
    }
}
