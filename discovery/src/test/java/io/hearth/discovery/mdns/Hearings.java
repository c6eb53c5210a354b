package io.hearth.discovery.mdns;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.discovery.Medium;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.mdns.machine.MdnsIdentity;
import io.hearth.discovery.mdns.machine.MdnsJudgeTest;
import io.hearth.discovery.mdns.machine.TagEncoding;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Hearings of a node on the loopback interface. */
final class Hearings {
    private Hearings() {}

    static MdnsBinding loopback() {
        var prefix = new LinkPrefix(Bytes.of((byte) 127, (byte) 0, (byte) 0, (byte) 1), 8);
        var loopback = new InterfaceState(
                "lo", 1, true, true, true, false, new TreeSet<>(List.of("127.0.0.1")), new TreeSet<>(List.of(prefix)));
        return new MdnsBinding(loopback, "127.0.0.1", Medium.WIRED);
    }

    static MdnsListener onLoopback(MdnsTraffic traffic, Consumer<Sighting> sink, Clock clock) {
        TagEncoding home = Keys.codec("home");
        MdnsIdentity stay =
                new MdnsIdentity(home.sign(MdnsJudgeTest.nonce(999), 52_416, Optional.empty()), "self", "hself");
        return new MdnsListener(
                loopback(), home, stay, nonce -> nonce.equals(stay.advert().nonce()), traffic, sink, clock);
    }
}
