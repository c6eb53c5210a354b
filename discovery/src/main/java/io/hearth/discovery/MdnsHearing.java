package io.hearth.discovery;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.jmdns.ServiceEvent;
import javax.jmdns.ServiceInfo;
import javax.jmdns.ServiceListener;

/**
 * Sifts what one JmDNS instance hears: tells of records with a right tag, counts the rest, and calls for a new instance when
 * strangers crowd this one, because JmDNS keeps every record that anybody sends.
 */
final class MdnsHearing implements ServiceListener {
    static final int STRANGERS_MAX = 1_000;
    private static final int MEMBERS_MAX = 256;

    /** Whether a stranger was heard out and found foreign, or has not been resolved yet. */
    private enum Stranger {
        UNHEARD,
        FOREIGN
    }

    private final MdnsBinding binding;
    private final TagCodec tags;
    private final Bytes nonce;
    private final Predicate<Bytes> ownNonce;
    private final MdnsTraffic traffic;
    private final Consumer<Sighting> sink;
    private final Runnable crowded;
    // by service name; written by JmDNS's listener thread, read by the source's own
    private final ConcurrentMap<String, Sighting> members = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Stranger> strangers = new ConcurrentHashMap<>();

    /**
     * @param nonce that this node announces on the same interface
     * @param ownNonce whether a nonce is one of this node's, on whichever interface
     */
    MdnsHearing(
            MdnsBinding binding,
            TagCodec tags,
            Bytes nonce,
            Predicate<Bytes> ownNonce,
            MdnsTraffic traffic,
            Consumer<Sighting> sink,
            Runnable crowded) {
        this.binding = binding;
        this.tags = tags;
        this.nonce = nonce;
        this.ownNonce = ownNonce;
        this.traffic = traffic;
        this.sink = sink;
        this.crowded = crowded;
    }

    @Override
    public void serviceAdded(ServiceEvent event) {
        if (!members.containsKey(event.getName())) {
            stranger(event.getName(), Stranger.UNHEARD);
        }
    }

    @Override
    public void serviceRemoved(ServiceEvent event) {
        members.remove(event.getName());
        strangers.remove(event.getName());
    }

    /** JmDNS resolves twice, first without the text: what has no text yet is not judged yet. */
    @Override
    public void serviceResolved(ServiceEvent event) {
        ServiceInfo info = event.getInfo();
        if (info.getTextBytes().length > 1) {
            judge(event.getName(), info);
        }
    }

    /** Tells of everybody known once more, for whoever had no room the first time. */
    void tellAgain() {
        members.values().forEach(sink);
    }

    private void judge(String service, ServiceInfo info) {
        Advert advert;
        try {
            advert = Advert.parse(info::getPropertyString);
        } catch (MalformedMessageException notOurs) {
            stranger(service, Stranger.FOREIGN);
            return;
        }
        if (ownNonce.test(advert.nonce())) {
            strangers.remove(service);
            return;
        }
        OptionalInt generation = tags.verify(advert, info.getPort());
        if (generation.isEmpty()) {
            stranger(service, Stranger.FOREIGN);
            return;
        }
        strangers.remove(service);
        List<Candidate> candidates = candidates(info);
        if (candidates.isEmpty() || members.size() >= MEMBERS_MAX) {
            return;
        }
        var sighting = new Sighting(
                "mdns:" + advert.nonce().hex(),
                candidates,
                SourceKind.MDNS,
                generation,
                Optional.of(new Nonces(nonce, advert.nonce())));
        if (members.put(service, sighting) == null) {
            traffic.members.incrementAndGet();
        }
        sink.accept(sighting);
    }

    private List<Candidate> candidates(ServiceInfo info) {
        var candidates = new ArrayList<Candidate>();
        InterfaceState state = binding.state();
        for (InetAddress address : info.getInetAddresses()) {
            SocketAddresses.heard(address, info.getPort(), state.name(), state.loopback())
                    .filter(_ -> candidates.size() < Sighting.CANDIDATES_MAX)
                    .ifPresent(peer -> candidates.add(new Candidate(peer, binding.medium())));
        }
        return candidates;
    }

    private void stranger(String service, Stranger judged) {
        if (strangers.size() >= STRANGERS_MAX && !strangers.containsKey(service)) {
            crowded.run();
            return;
        }
        if (strangers.put(service, judged) != Stranger.FOREIGN && judged == Stranger.FOREIGN) {
            traffic.foreign.incrementAndGet();
        }
    }
}
