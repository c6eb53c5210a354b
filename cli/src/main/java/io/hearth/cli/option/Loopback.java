package io.hearth.cli.option;

import io.hearth.core.SetupException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Collections;

/** This machine's loopback interface: {@code lo} on Linux, {@code lo0} on macOS. */
public final class Loopback {
    private Loopback() {}

    public static String name() throws SetupException {
        try {
            for (NetworkInterface candidate : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                if (candidate.isLoopback()) {
                    return candidate.getName();
                }
            }
        } catch (SocketException unreadable) {
            throw new SetupException(
                    "cannot list the network interfaces: " + unreadable.getMessage() + "; try again", unreadable);
        }
        throw new SetupException("this machine has no loopback interface: bring it up (Linux: ip link set lo up)");
    }
}
