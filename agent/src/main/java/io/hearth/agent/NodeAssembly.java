package io.hearth.agent;

import io.hearth.accel.Engines;
import io.hearth.collective.CollectiveEngine;
import io.hearth.collective.CollectiveResolver;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.GroupMachine;
import io.hearth.core.Clock;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.discovery.PeerSource;
import io.hearth.discovery.RememberedPeers;
import io.hearth.discovery.StaticPeers;
import io.hearth.election.ElectionConfig;
import io.hearth.election.Message;
import io.hearth.election.MessageCodec;
import io.hearth.election.Role;
import io.hearth.election.ViewMachine;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NamespaceLookup;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.SlotLease;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.LocalInterfaces;
import io.hearth.topology.LocalProfile;
import io.hearth.transport.Endpoint;
import io.hearth.transport.Links;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts a node together, part by part, and takes it apart in the opposite order. Composition only. */
final class NodeAssembly implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeAssembly.class);

    /** Taken apart last to first. */
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    private final Clock clock = Clock.system();
    private final long startedNanos = clock.nanoTime();
    private final NodeInbox inbox = new NodeInbox();
    private final CountDownLatch left = new CountDownLatch(1);
    private final AtomicReference<Optional<HearthException>> failure = new AtomicReference<>(Optional.empty());
