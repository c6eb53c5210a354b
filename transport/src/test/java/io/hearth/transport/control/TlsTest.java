package io.hearth.transport.control;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.identity.NodeIdentity;
import org.junit.jupiter.api.Test;

final class TlsTest {
    @Test
    void aRehearsalIsAWholeHandshakeWithTheOwnIdentity() throws Exception {
        NodeIdentity identity = NodeIdentity.generate();
        assertEquals(identity.peer(), new Tls(identity).rehearse());
    }
}
