package io.hearth.topology.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.topology.NodeLoad;
import io.hearth.topology.NodeLoad.Battery;
import io.hearth.topology.NodeProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LocalProfileTest {
    @Test
    void thisMachineIsReadWithoutAResolver() {
        NodeProfile self = LocalProfile.read("scalar", "0.1.0");
        assertTrue(self.cores() >= 1 && self.memoryBytes() > 0, self.toString());
        assertFalse(self.label().isEmpty());
        assertEquals(NodeLoad.NONE, self.load());
        assertTrue(LocalLoad.read().percent() >= 0, "Linux and macOS have a load average");
    }

    @Test
    void aBatteryAsTheKernelShowsIt(@TempDir Path power) throws IOException {
        assertEquals(Optional.empty(), LocalLoad.battery(power));
        assertEquals(Optional.empty(), LocalLoad.battery(power.resolve("absent")));
        supply(power, "AC", "type", "Mains", "online", "1");
        assertEquals(Optional.empty(), LocalLoad.battery(power));
        supply(power, "BAT0", "type", "Battery", "capacity", "64", "status", "Charging");
        assertEquals(Optional.of(new Battery(64, true)), LocalLoad.battery(power));
        supply(power, "AC", "online", "0");
        assertEquals(Optional.of(new Battery(64, false)), LocalLoad.battery(power));
        supply(power, "BAT0", "capacity", "many");
        assertEquals(Optional.empty(), LocalLoad.battery(power));
    }

    private static void supply(Path power, String name, String... facts) throws IOException {
        Path folder = Files.createDirectories(power.resolve(name));
        for (int i = 0; i < facts.length; i += 2) {
            Files.writeString(folder.resolve(facts[i]), facts[i + 1] + "\n");
        }
    }
}
