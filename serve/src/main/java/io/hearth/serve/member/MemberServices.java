package io.hearth.serve.member;

import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.SetupException;
import io.hearth.election.Lineage;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.shell.ClusterService;
import io.hearth.serve.shell.ServiceJob;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The services of one node of a cluster. Each has a port on this machine, for any client, and all share an encrypted one, for the other
 * machines. A call may come to any node: the member that is elected for the service answers.
 *
 * <p>One thread tells it of links and views.
 */
public final class MemberServices implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemberServices.class);
    private static final long CLOSE_SECONDS = 5;

    /** A service that this node offers. */
    public record Offer(ClusterService.Maker<?> maker, PortPlace listen) {}

    /**
     * The node, as its services need it.
     *
     * @param incarnation higher than at each earlier start
     * @param folder of the services' state: one below it for each
     * @param computer hash of the operating system's machine id, if it is known
     * @param usable whether connections may come in at this address of the machine
     * @param failed gets the name of a service, and an error after which it does not go on
     */
    public record Node(
            NodeId self,
            long incarnation,
            Path folder,
            Optional<String> computer,
            NodeIdentity identity,
            Predicate<InetAddress> usable,
            Links links,
            Failed failed,
            Clock clock) {
        /** Ends a node whose service failed. */
        public interface Failed {
            void accept(String service, Throwable why);
        }
    }

    /** The links of the node. Any thread. */
    public interface Links {
        /** Sends a message; it is lost if there is no link. */
        void send(NodeId to, int kind, byte[] message);

        /** Ends the link to a node. */
        void close(NodeId node, String why);
    }

    private final Node node;
    private final Map<String, ServedHere<?>> services = new LinkedHashMap<>();
    private final Deque<AutoCloseable> open = new ArrayDeque<>(); // closed from the first to the last
    private final ServesNote note;
    private volatile KnownNodes nodes = KnownNodes.NONE; // written by the thread that tells of links

    private MemberServices(Node node, List<Offer> offers) throws SetupException {
        this.node = node;
        var timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("hearth-services-timer").daemon().factory());
        timer.setRemoveOnCancelPolicy(true);
        open.push(() -> end(timer));
        boolean isStarted = false;
        try {
            var tls = new MemberTls(node.identity());
            var channels = new MemberChannels(tls, () -> nodes);
            open.push(channels);
            for (Offer offer : offers) {
                var served = new ServedHere<>(node, offer.maker(), offer.listen(), channels, timer);
                open.push(served);
                services.put(served.name(), served);
            }
            var port = new MemberPort(
                    tls,
                    () -> nodes,
                    node.usable(),
                    services.values().stream()
                            .flatMap(served -> served.forMembers().stream())
                            .toList());
            open.push(port);
            var settings = new TreeMap<String, String>();
            offers.forEach(
                    offer -> settings.put(offer.maker().name(), offer.maker().settings()));
            note = new ServesNote(settings, port.port());
            for (ServedHere<?> served : services.values()) {
                open.push(served.listen());
            }
            isStarted = true;
        } finally {
            if (!isStarted) {
                close();
            }
        }
    }

    /**
     * Starts the services of a node that has no links yet.
     *
     * @param offers of different names
     * @throws SetupException with what to do; nothing is left running
     */
    public static MemberServices start(Node node, List<Offer> offers) throws SetupException {
        return new MemberServices(node, offers);
    }

    private ServedHere<?> service(String name) {
        return Objects.requireNonNull(services.get(name));
    }

    int port(String service) {
        return service(service).port();
    }

    /** The URL of a service on this machine. */
    public String url(String service) {
        return service(service).url();
    }

    /**
     * A service at this moment.
     *
     * @param url on this machine
     * @param answering member that answers; empty while none is known
     * @param vacancy why none answers and what to do; empty while one does
     * @param keepers number of machines that keep its state, as far as this one knows
     */
    public record Report(
            String name,
            String url,
            Optional<NodeId> answering,
            Optional<String> vacancy,
            int keepers,
            List<ServiceJob> jobs) {}

    /** The services of this node. Any thread. */
    public List<Report> reports() {
        return services.values().stream().map(ServedHere::report).toList();
    }

    int memberPort() {
        return note.port();
    }

    /**
     * A link to a node is up.
     *
     * @param address of the node; empty if another node passes the bytes on, so that the services there cannot be reached
     */
    public void linked(NodeId peer, Optional<InetAddress> address) {
        nodes = nodes.linked(peer, address);
        node.links().send(peer, ServesNote.KIND, note.encode());
    }

    /**
     * Another connection carries the link to a node. Its end may have lost the link and made a new one, so this node sends its note again.
     *
     * @param address as in {@link #linked}
     */
    public void moved(NodeId peer, Optional<InetAddress> address) {
        nodes = nodes.moved(peer, address);
        node.links().send(peer, ServesNote.KIND, note.encode());
    }

    /** The link to a node is gone. */
    public void unlinked(NodeId peer) {
        KnownNodes before = nodes;
        nodes = before.unlinked(peer);
        services.values().forEach(served -> served.unlinked(peer, before, nodes));
    }

    /**
     * This node lives in this view now.
     *
     * @param members in the order of the view
     */
    public void viewed(Lineage lineage, long epoch, List<NodeId> members) {
        nodes = nodes.viewed(new KnownNodes.Place(lineage, epoch, members));
        services.values().forEach(served -> served.viewed(nodes));
    }

    /**
     * A message of a linked node.
     *
     * @param kind of the control link; others than those of services have no effect
     * @throws MalformedMessageException which must end the link
     */
    public void heard(NodeId from, int kind, byte[] message) throws MalformedMessageException {
        if (kind == ServesNote.KIND) {
            KnownNodes before = nodes;
            nodes = before.said(from, ServesNote.decode(message));
            services.values().forEach(served -> served.said(from, before, nodes));
        } else if (kind == ServiceFrame.KIND) {
            ServiceFrame frame = ServiceFrame.decode(message);
            ServedHere<?> served = services.get(frame.service());
            if (served != null && !served.heard(from, frame.message())) {
                node.links().close(from, "it sends more than the service " + frame.service() + " can take");
            }
        }
    }

    private static void end(ScheduledThreadPoolExecutor timer) throws InterruptedException {
        timer.shutdownNow();
        var _ = timer.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    }

    /** Ends all calls and connections; idempotent. */
    @Override
    public void close() {
        while (!open.isEmpty()) {
            AutoCloseable part = open.pop();
            try {
                part.close();
            } catch (InterruptedException impatient) {
                Thread.currentThread().interrupt();
            } catch (Exception failed) {
                LOG.warn("a part of the services did not close: {}", failed.getMessage());
            }
        }
    }
}
