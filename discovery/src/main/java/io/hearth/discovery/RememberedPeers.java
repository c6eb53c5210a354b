package io.hearth.discovery;

import io.hearth.core.SetupException;
import io.hearth.identity.NodeId;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SequencedMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The addresses at which peers were last admitted, kept over restarts. With them a cluster that met once meets again even where multicast
 * does not work. A thread of its own writes the file, because disks stall; a burst of changes makes one write.
 */
public final class RememberedPeers implements PeerSource {
    /** Most peers kept; the one that was admitted longest ago is dropped first. */
    public static final int PEERS_MAX = 256;

    private static final Logger LOG = LoggerFactory.getLogger(RememberedPeers.class);
    private static final String NAME_PREFIX = "remembered:";

    private final PeersFile file;
    private final SequencedMap<NodeId, List<PeerAddress>> peers = new LinkedHashMap<>(); // latest last; under lock
    private final ReentrantLock lock = new ReentrantLock(); // guards the changes that the writer thread takes
    private final Condition changed = lock.newCondition();
    private final Thread writer;
    private boolean dirty; // under lock
    private boolean closing; // under lock

    /**
     * A source that reads and writes a file, which need not exist.
     *
     * @param path in a folder of this user's own
     */
    public RememberedPeers(Path path) {
        this.file = new PeersFile(path);
        this.writer = Thread.ofPlatform().daemon().name("hearth-remember").unstarted(this::write);
    }

    /** Reads the file and reports every peer in it, latest first. A damaged file is renamed and logged. */
    @Override
    public void start(Consumer<Sighting> sink) {
        SequencedMap<NodeId, List<PeerAddress>> read;
        try {
            read = file.read();
        } catch (SetupException unreadable) {
            LOG.warn("{}; going on without remembered addresses", unreadable.getMessage());
            read = new LinkedHashMap<>();
        }
        lock.lock();
        try {
            read.forEach(peers::putIfAbsent);
        } finally {
            lock.unlock();
        }
        writer.start();
        for (Map.Entry<NodeId, List<PeerAddress>> peer :
                read.sequencedEntrySet().reversed()) {
            List<Candidate> candidates = peer.getValue().stream()
                    .map(address -> new Candidate(address, Medium.OTHER))
                    .toList();
            sink.accept(new Sighting(
                    NAME_PREFIX + peer.getKey().text(), candidates, SourceKind.REMEMBERED, OptionalInt.empty()));
        }
    }

    /**
     * Replaces the addresses of a peer. They are on disk soon, at the latest when this source is closed.
     *
     * @param addresses best first; 1 to {@value Sighting#CANDIDATES_MAX} are kept
     */
    public void remember(NodeId node, List<PeerAddress> addresses) {
        change(() -> {
            peers.remove(node);
            if (!addresses.isEmpty()) {
                peers.put(node, List.copyOf(addresses.subList(0, Math.min(addresses.size(), Sighting.CANDIDATES_MAX))));
            }
            while (peers.size() > PEERS_MAX) {
                peers.pollFirstEntry();
            }
        });
    }

    /** Drops the peer of a record that a peer table forgot, if this source reported the record. */
    public void forget(String recordName) {
        if (recordName.startsWith(NAME_PREFIX)) {
            change(() -> peers.keySet().removeIf(node -> recordName.equals(NAME_PREFIX + node.text())));
        }
    }

    /** Writes the changes that are not written yet, and ends. */
    @Override
    public void close() {
        lock.lock();
        try {
            closing = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
        try {
            writer.join(1_000);
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }

    private void change(Runnable edit) {
        lock.lock();
        try {
            edit.run();
            dirty = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    private void write() {
        String complaint = "";
        while (true) {
            SequencedMap<NodeId, List<PeerAddress>> latest;
            lock.lock();
            try {
                while (!dirty && !closing) {
                    changed.awaitUninterruptibly();
                }
                if (!dirty) {
                    return;
                }
                dirty = false;
                latest = new LinkedHashMap<>(peers);
            } finally {
                lock.unlock();
            }
            try {
                file.write(latest);
            } catch (SetupException full) {
                String now = String.valueOf(full.getMessage());
                if (!now.equals(complaint)) {
                    complaint = now;
                    LOG.warn("{}; the addresses of peers are not remembered", now);
                }
            }
        }
    }
}
