package io.hearth.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.TestNode.Seen;
import io.hearth.transport.cipher.AeadCipher;
import io.hearth.transport.machine.Doubles;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Links of two computers with one identity, and of nodes linked with them. */
final class DoubledIdentityTest {
    private final NamespaceKeys keys = NetworkNamespace.create("home").keys();
    private final NodeIdentity identity = NodeIdentity.generate();

    private TestNode start(String slot, long incarnation, Bytes boot) throws Exception {
        var self = new Endpoint(new NodeId(identity.peer(), slot), incarnation, TestNode.bootId(), Optional.of(boot));
        return new TestNode(identity, self, keys, options -> options, AeadCipher::new, Clock.system());
    }

    /** Both send messages again and again until the witness reports to them. */
    private static void talk(TestNode witness, Runnable words, TestNode... until) {
        long startNanos = System.nanoTime();
        while (!witness.seen.stream().anyMatch(Seen.Doubled.class::isInstance) || !isEachTold(until)) {
            words.run();
            LockSupport.parkNanos(50_000_000);
            assertTrue(System.nanoTime() - startNanos < TimeUnit.SECONDS.toNanos(20), "nobody was told");
        }
    }

    private static boolean isEachTold(TestNode... nodes) {
        for (TestNode node : nodes) {
            if (node.seen.stream().noneMatch(Seen.Told.class::isInstance)) {
                return false;
            }
        }
        return true;
    }

    @Test
    void theRefusedOriginalAndTheLinkedCopyAreTold() throws Exception {
        try (var witness = new TestNode(keys);
                var original = start("agent", 4, TestNode.bootId());
                var copy = start("agent", 5, TestNode.bootId())) {
            original.link(witness);
            copy.dial(witness);
            assertTrue(original.await(Seen.Lost.class).reason().contains("newer start"));
            talk(
                    witness,
                    () -> {
                        original.dial(witness);
                        copy.links.send(witness.id(), 16, new byte[0]);
                    },
                    original,
                    copy);
            assertEquals(
                    Set.of(identity.peer()),
                    witness.await(Seen.Doubled.class).machines().keySet());
            Seen.Told toOriginal = original.await(Seen.Told.class);
            assertEquals(witness.id(), toOriginal.by());
            assertEquals(copy.self.systemBoot(), toOriginal.found().other().systemBoot());
            assertEquals("127.0.0.1", toOriginal.found().other().address());
            Seen.Told toCopy = copy.await(Seen.Told.class);
            assertEquals(original.self.systemBoot(), toCopy.found().other().systemBoot());
            assertEquals(witness.id(), toCopy.by());
            original.dial(witness);
            Seen.Refused refused = original.await(Seen.Refused.class);
            while (refused.refusal() != LinkRejection.DOUBLED) {
                refused = original.await(Seen.Refused.class);
            }
            assertTrue(refused.text().contains("hearth identity reset"), refused.text());
        }
    }

    @Test
    void inTwoSlotsBothAreLinkedAndBothAreTold() throws Exception {
        try (var witness = new TestNode(keys);
                var original = start("agent", 4, TestNode.bootId());
                var copy = start("trainer-0", 5, TestNode.bootId())) {
            original.link(witness);
            copy.link(witness);
            talk(
                    witness,
                    () -> {
                        original.links.send(witness.id(), 16, new byte[0]);
                        copy.links.send(witness.id(), 16, new byte[0]);
                    },
                    original,
                    copy);
        }
    }

    @Test
    void twoThatMeetNeedNobodyElse() throws Exception {
        try (var original = start("agent", 4, TestNode.bootId());
                var copy = start("agent", 5, TestNode.bootId())) {
            original.dial(copy);
            Seen.Told told = original.await(Seen.Told.class);
            assertEquals(original.id(), told.by());
            assertEquals("127.0.0.1", told.found().other().address());
            assertEquals(
                    original.self.systemBoot(),
                    copy.await(Seen.Told.class).found().other().systemBoot());
            assertEquals(
                    LinkRejection.DOUBLED, original.await(Seen.Refused.class).refusal());
        }
    }

    @Test
    void processesOfOneComputerAreNoDoubles() throws Exception {
        Bytes boot = TestNode.bootId();
        try (var witness = new TestNode(keys);
                var agent = start("agent", 4, boot);
                var trainer = start("trainer-0", 5, boot)) {
            agent.link(witness);
            trainer.link(witness);
            trainer.link(agent);
            long startNanos = System.nanoTime();
            while (System.nanoTime() - startNanos < 2 * Doubles.BOTH_NANOS) {
                agent.links.send(witness.id(), 16, new byte[0]);
                trainer.links.send(witness.id(), 16, new byte[0]);
                LockSupport.parkNanos(50_000_000);
            }
            for (TestNode node : new TestNode[] {witness, agent, trainer}) {
                assertFalse(
                        node.seen.stream().anyMatch(seen -> seen instanceof Seen.Doubled || seen instanceof Seen.Told),
                        node.seen.toString());
            }
        }
    }

    @Test
    void whatIsSaidOfThisVeryComputerIsNoDouble() throws Exception {
        try (var node = start("agent", 4, TestNode.bootId())) {
            var own = Appearance.of(node.self, "10.0.0.1");
            var trainer = new Appearance("trainer-0", 9, node.self.systemBoot(), "10.0.0.1");
            var unknown = new Appearance("trainer-0", 9, Optional.empty(), "10.0.0.1");
            for (Appearance other : new Appearance[] {own, trainer, unknown}) {
                assertFalse(other.isForeignTo(node.self), other.toString());
            }
        }
    }
}
