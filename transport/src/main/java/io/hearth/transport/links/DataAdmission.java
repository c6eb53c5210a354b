package io.hearth.transport.links;

import io.hearth.transport.stream.DataPort;
import io.hearth.transport.stream.GreetingThreads;
import io.hearth.transport.stream.StreamPreamble;
import java.net.InetAddress;
import java.util.Optional;

/** The data port serves streams of this node, and connections that it passes on. */
record DataAdmission(DataPort.Admission streams, DataPort.Admission relays) implements DataPort.Admission {
    @Override
    public boolean isExpected(InetAddress remote, InetAddress local) {
        return streams.isExpected(remote, local) || relays.isExpected(remote, local);
    }

    @Override
    public Optional<GreetingThreads.Greeter> redeem(StreamPreamble.Dialed dialed) {
        return streams.redeem(dialed).or(() -> relays.redeem(dialed));
    }
}
