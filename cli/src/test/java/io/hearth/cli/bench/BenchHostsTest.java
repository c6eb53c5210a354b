package io.hearth.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class BenchHostsTest {
    private static final List<InetSocketAddress> HOSTS =
            BenchHosts.parse("192.0.2.10:4000,192.0.2.11:4000,[2001:db8::7]:4001");

    private static int rank(String... own) {
        Set<InetAddress> addresses = Set.of(Arrays.stream(own)
                .map(address -> new InetSocketAddress(address, 1).getAddress())
                .toArray(InetAddress[]::new));
        return BenchHosts.rank(HOSTS, addresses::contains);
    }

    @Test
    void theRankIsThatOfTheOneAddressOfThisMachine() {
        assertEquals(0, rank("192.0.2.10", "198.51.100.1"));
        assertEquals(2, rank("2001:db8::7"));
    }

    @Test
    void noneOrSeveralAreForThePersonToTellApart() {
        for (String[] own : new String[][] {{}, {"192.0.2.10", "192.0.2.11"}}) {
            String why = String.valueOf(assertThrows(IllegalArgumentException.class, () -> rank(own))
                    .getMessage());
            assertTrue(why.contains("--rank"), why);
        }
    }

    @Test
    void eachHasAPort() {
        assertEquals(4001, HOSTS.get(2).getPort());
        assertThrows(IllegalArgumentException.class, () -> BenchHosts.parse("192.0.2.10:4000,"));
    }
}
