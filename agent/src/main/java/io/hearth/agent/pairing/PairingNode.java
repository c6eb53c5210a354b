package io.hearth.agent.pairing;

import io.hearth.agent.HearthConfig;
import io.hearth.agent.ListenOptions;
import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.discovery.mdns.InterfaceMonitor;
import io.hearth.discovery.mdns.MdnsOptions;
import io.hearth.discovery.mdns.MdnsSource;
import io.hearth.discovery.mdns.machine.TagEncoding;
import io.hearth.discovery.mdns.machine.TagKey;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.SlotLease;
import io.hearth.identity.SystemBoot;
import io.hearth.identity.pairing.machine.PairingEncoding;
import io.hearth.topology.local.LocalProfile;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkOptions;
import io.hearth.transport.links.PairLinks;
import java.security.SecureRandom;

/**
 * The parts that both sides of a pairing need.
 *
 * @param label name of this machine for people
 * @param lease of a slot that one process of a home may hold
 */
record PairingNode(NodeIdentity identity, String label, SlotLease lease) implements AutoCloseable {
    private static final int TAG_BYTES = 32;

    /**
     * @param slot {@link SlotLease#PAIR} or {@link SlotLease#JOIN}
     * @throws SetupException if something on this machine prevents it; its text says what to do
     */
    static PairingNode open(HearthConfig config, HearthHome home, String slot, Clock clock) throws SetupException {
        ListenOptions.checkInterfaces(config);
        NodeIdentity identity = IdentityFile.in(home).loadOrCreate();
        String label = config.label().orElseGet(LocalProfile::label);
        return new PairingNode(identity, label, SlotLease.single(home, slot, clock));
    }

    PairLinks links(LinkOptions options, PairLinks.Observer observer) throws SetupException {
        var self = new Endpoint(
                new NodeId(identity.peer(), lease.slot()),
                lease.incarnation(),
                lease.bootId(),
                SystemBoot.ofThisComputer());
        return PairLinks.open(options, identity, self, observer);
    }

    /** Adverts or searches of a pairing, over mDNS. */
    static MdnsSource mdns(TagEncoding tags, MdnsOptions options, Clock clock) {
        return new MdnsSource(tags, options, InterfaceMonitor.ofThisMachine(), clock, () -> {}, _ -> {});
    }

    /** Cuts a message that is longer than any valid one. It is malformed anyway, and need not fill the queue. */
    static Bytes frame(byte[] message) {
        return message.length > PairingEncoding.BYTES_MAX ? Bytes.EMPTY : Bytes.of(message);
    }

    /** A random key that no node keeps, not even this one. The nodes of a namespace treat its adverts as those of a stranger. */
    static TagKey throwawayKey(SecureRandom random) {
        return new TagKey(1, _ -> {
            byte[] tag = new byte[TAG_BYTES];
            random.nextBytes(tag);
            return tag;
        });
    }

    @Override
    public void close() {
        lease.close();
    }
}
