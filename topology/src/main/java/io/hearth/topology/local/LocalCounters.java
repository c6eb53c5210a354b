package io.hearth.topology.local;

import io.hearth.topology.TcpCounters;
import io.hearth.topology.system.MachineFacts;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** Reads the counters of this machine's TCP. Java itself tells nothing about a connection ({@code TCP_INFO}). */
public final class LocalCounters {
    private static final Path SNMP = Path.of("/proc/net/snmp");

    private LocalCounters() {}

    /** The counters now; empty if the operating system does not say. Blocks: macOS's tool takes some milliseconds. */
    public static Optional<TcpCounters> read() {
        boolean isMac =
                System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("mac");
        return isMac
                ? MachineFacts.tcpOfMac(Tool.output("netstat", "-s", "-p", "tcp"))
                : MachineFacts.tcpOfLinux(SmallFile.text(SNMP));
    }
}
