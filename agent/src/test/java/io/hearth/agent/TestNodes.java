package io.hearth.agent;

import io.hearth.agent.status.ClusterStatus;
import io.hearth.discovery.HostPort;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Nodes of one test, each with its own home, on the loopback interface only. */
final class TestNodes implements AutoCloseable {
    private final Path folder;
    private final NetworkNamespace namespace = NetworkNamespace.create("test");
    private final List<AutoDiscoveryBackend> open = new ArrayList<>();
    private int homes;

    TestNodes(Path folder) {
        this.folder = folder;
    }

    /** A configuration that reaches no further than this machine. */
    static HearthConfig loopback() throws SocketException {
        String name = NetworkInterface.networkInterfaces()
                .filter(TestNodes::isLoopback)
                .findFirst()
                .orElseThrow()
                .getName();
        return HearthConfig.defaults().namespace("test").interfaces(List.of(name));
    }

    private static boolean isLoopback(NetworkInterface candidate) {
        try {
            return candidate.isLoopback();
        } catch (SocketException unreadable) {
            return false;
        }
    }

    /** For a member that is none of these nodes. */
    NamespaceKeys keys() {
        return namespace.keys();
    }

    /** A new home that knows the namespace of this test. */
    Path home() throws Exception {
        HearthHome home = HearthHome.open(folder.resolve("home-" + homes++));
        NamespaceFile.in(home).add(namespace);
        return home.folder();
    }

    AutoDiscoveryBackend trainer(HearthConfig config) throws Exception {
        return keep(AutoDiscoveryBackend.start(config.home(home())));
    }

    /** A home whose namespace has the same name and another secret. */
    Path strangersHome() throws Exception {
        HearthHome home = HearthHome.open(folder.resolve("stranger-" + homes++));
        NamespaceFile.in(home).add(NetworkNamespace.create("test"));
        return home.folder();
    }

    /** Closes {@code trainer} with the others at the end. */
    AutoDiscoveryBackend keep(AutoDiscoveryBackend trainer) {
        open.add(trainer);
        return trainer;
    }

    /** The address of a node on this machine. */
    static HostPort address(AutoDiscoveryBackend trainer) {
        return HostPort.parse("127.0.0.1:" + trainer.node().port());
    }

    /** The first status of a node for which {@code wanted} holds; fails with the node's status if none comes in time. */
    static ClusterStatus await(AutoDiscoveryBackend node, Predicate<ClusterStatus> wanted, Duration patience)
            throws InterruptedException {
        return node.node()
                .latestStatus()
                .await(wanted, patience)
                .orElseThrow(() -> new AssertionError(
                        node.status().explain() + "; " + node.status().explainTrainers() + "; " + node.status()));
    }

    /** Trainers that get one another's addresses, so that a test does not depend on multicast. */
    List<AutoDiscoveryBackend> trainers(int count) throws Exception {
        var trainers = new ArrayList<AutoDiscoveryBackend>();
        for (int i = 0; i < count; i++) {
            AutoDiscoveryBackend trainer = trainer(loopback());
            for (AutoDiscoveryBackend other : trainers) {
                trainer.addPeer(address(other));
            }
            trainers.add(trainer);
        }
        return trainers;
    }

    @Override
    public void close() {
        for (AutoDiscoveryBackend node : open) {
            node.close();
        }
    }
}
