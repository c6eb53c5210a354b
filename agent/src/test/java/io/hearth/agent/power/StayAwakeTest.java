package io.hearth.agent.power;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class StayAwakeTest {
    @Test
    void eachSystemHasItsTool() {
        assertEquals("/usr/bin/caffeinate", StayAwake.command("mac os x", false).getFirst());
        assertEquals("systemd-inhibit", StayAwake.command("linux", true).getFirst());
        assertEquals(List.of(), StayAwake.command("linux", false));
        assertEquals(List.of(), StayAwake.command("freebsd", false));
    }

    @Test
    void theToolEndsWithIt() throws Exception {
        StayAwake awake = StayAwake.begin(List.of("cat"));
        ProcessHandle tool = awake.tool().orElseThrow();
        assertTrue(tool.isAlive());
        awake.close();
        awake.close();
        tool.onExit().get(30, TimeUnit.SECONDS);
        assertFalse(tool.isAlive());
    }

    @Test
    void withoutTheToolTheTrainingGoesOn() {
        StayAwake.begin(List.of("no-such-tool-here")).close();
    }
}
