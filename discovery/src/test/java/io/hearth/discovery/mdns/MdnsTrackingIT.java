package io.hearth.discovery.mdns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Clock;
import io.hearth.discovery.mdns.machine.TagEncoding;
import io.hearth.discovery.mdns.machine.TagKey;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.SecretText;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Attack 12: a listener without the secret keeps every packet of a node, in two networks and before and after its restart, and searches for
 * bytes by which it could recognize the node.
 */
final class MdnsTrackingIT {
    private static final int PORT = 51_021; // always the same, and not part of the comparison
    private static final int OTHERS_PORT = 51_022;

    /** Four bytes, in hexadecimal. */
    private static final int RUN = 8;

    /** A host may be called "pi", and two letters are anywhere. */
    private static final int SHORT = 4;

    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final String loopback = LoopbackMulticast.require();
    private final NetworkNamespace namespace = NetworkNamespace.create("familie-mustermann");
    private final List<MdnsSource> gone = new ArrayList<>();
    private final NetworkNamespace others = NetworkNamespace.create("somebody-else");

    @Tag("full")
    @Test
    void whatIsAlwaysTheSameOfANodeIsTheSameOfEveryNode() throws Exception {
        List<InterfaceState> real = InterfaceMonitor.ofThisMachine().poll().orElseThrow();
        var states = new AtomicReference<>(real);
        try (var listener = new MdnsWitness(loopback)) {
            show(listener, states, 1, () -> {
                states.set(real.stream().map(MdnsSourceIT::reindexed).toList());
                awaitGuises(listener, 2);
            });
            show(listener, states, 3, () -> {}); // both were restarted
            gone.forEach(source -> source.awaitGone(PATIENCE)); // so that their goodbyes are sent
            Set<String> common = new TreeSet<>();
            listener.guises(OTHERS_PORT)
                    .forEach(guise -> common.addAll(listener.runs(guise, OTHERS_PORT, MdnsWitness.COMMON)));
            List<Set<String>> runs = listener.guises(PORT).stream()
                    .map(guise -> listener.runs(guise, PORT, RUN, common))
                    .toList();
            assertEquals(3, runs.size());
            for (int one = 0; one < 3; one++) {
                assertTrue(runs.get(one).size() > 20, "a name, a nonce and a tag: " + runs.get(one));
                for (int other = 0; other < one; other++) {
                    var same = new TreeSet<>(runs.get(one));
                    same.retainAll(runs.get(other));
                    assertEquals(new TreeSet<String>(), same, "of guises " + other + " and " + one);
                }
            }
            namesNothing(listener.heard());
        }
    }

    /** The node and one of another home start at once, announce themselves, run the given action, and leave. */
    private void show(
            MdnsWitness listener, AtomicReference<List<InterfaceState>> states, int guises, Runnable whatFollows) {
        MdnsSource node = source(namespace, PORT, states);
        MdnsSource other = source(others, OTHERS_PORT, states);
        try (node;
                other) {
            node.start(_ -> {});
            other.start(_ -> {});
            awaitGuises(listener, guises);
            whatFollows.run();
        }
        gone.addAll(List.of(node, other));
    }

    private void namesNothing(String heard) throws UnknownHostException {
        String secret = SecretText.of(namespace).toLowerCase(Locale.ROOT);
        String bytes = new String(namespace.secret(), StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
        for (String word : List.of(
                namespace.name(),
                namespace.keyId(),
                secret.substring(16, 32),
                secret.substring(40, 56),
                bytes.substring(0, 16),
                InetAddress.getLocalHost().getHostName().toLowerCase(Locale.ROOT))) {
            assertFalse(word.length() >= SHORT && heard.contains(word), () -> "'" + word + "' was heard");
        }
    }

    private MdnsSource source(NetworkNamespace of, int port, AtomicReference<List<InterfaceState>> states) {
        return new MdnsSource(
                new TagEncoding(List.of(new TagKey(of.generation(), of.keys()::tagMac))),
                MdnsOptions.ofPort(port).on(InterfacePolicy.interfaces(loopback)),
                new InterfaceMonitor(states::get),
                Clock.system(),
                () -> {},
                _ -> {});
    }

    private static void awaitGuises(MdnsWitness listener, int count) {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        for (int port : List.of(PORT, OTHERS_PORT)) {
            while (listener.guises(port).size() < count) {
                assertTrue(System.nanoTime() - deadlineNanos < 0, () -> "only heard " + listener.guises(port));
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
    }
}
