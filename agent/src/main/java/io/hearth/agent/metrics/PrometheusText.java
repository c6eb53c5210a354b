package io.hearth.agent.metrics;

import io.hearth.agent.history.ClusterEvent.Kind;
import io.hearth.agent.history.JobReport;
import io.hearth.agent.history.Tally;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.collective.OperationCounts;
import io.hearth.discovery.mdns.MdnsCounters;
import io.hearth.election.ElectionState;
import io.hearth.election.health.HealthStatus;
import io.hearth.transport.LinkCounters;
import io.hearth.transport.LinkRejection;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Writes the metrics of an agent in the text format of Prometheus. Each call fills a new registry from one status, so nodes that are gone do
 * not appear.
 */
public final class PrometheusText {
    /** The format's media type; its character set is UTF-8. */
    public static final String TYPE = "text/plain; version=0.0.4";

    private static final String LINK_BYTES = "Bytes of control links on the wire, without those of data streams";
    private static final String LINK_MESSAGES = "Messages of control links";
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final double NANOS_PER_SECOND = 1e9;

    private final MeterRegistry registry;
    private final List<Object> values = new ArrayList<>(); // the registry holds counters' values by weak references

    /** The agent itself. */
    public record About(String version, long startedMillis, long nowMillis) {}

    private PrometheusText(MeterRegistry registry) {
        this.registry = registry;
    }

    /**
     * The text.
     *
     * @param jobs newest report of each trainer of this machine
     */
    public static String of(ClusterStatus status, Tally tally, LinkCounters links, List<JobReport> jobs, About about) {
        var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        var text = new PrometheusText(registry);
        try {
            text.agent(status, about);
            text.cluster(status);
            text.links(links);
            text.election(status, tally, about.nowMillis());
            text.events(tally);
            text.discovery(status);
            jobs.forEach(text::job);
            return registry.scrape();
        } finally {
            Reference.reachabilityFence(text);
            registry.close();
        }
    }

    private void agent(ClusterStatus status, About about) {
        gauge("hearth.agent.info", "The version of the agent; always 1", Tags.of("version", about.version()), 1);
        gauge(
                "hearth.agent.uptime.seconds",
                "Seconds since the start of the agent",
                Tags.empty(),
                (about.nowMillis() - about.startedMillis()) / MILLIS_PER_SECOND);
        gauge(
                "hearth.agent.stalled",
                "1 while the node waits for a quorum or for admission",
                Tags.empty(),
                status.waiting().isPresent() ? 1 : 0);
    }

    private void cluster(ClusterStatus status) {
        gauge(
                "hearth.view.members",
                "Members of the view",
                Tags.empty(),
                status.view().members());
        gauge(
                "hearth.view.epoch",
                "Number of the view",
                Tags.empty(),
                status.view().epoch());
        for (HealthStatus health : HealthStatus.values()) {
            gauge(
                    "hearth.peers",
                    "Other members of the view by the opinion of the failure detector",
                    Tags.of("health", small(health)),
                    status.nodes().stream()
                            .filter(node -> !node.isSelf() && node.rank().isPresent() && node.health() == health)
                            .count());
        }
        gauge(
                "hearth.peers.away",
                "Nodes that were linked and are not now",
                Tags.empty(),
                status.away().size());
        gauge(
                "hearth.peers.refused",
                "Peers that are refused now",
                Tags.empty(),
                status.refused().size());
        gauge(
                "hearth.links.slow",
                "Links that carry much less than they did",
                Tags.empty(),
                status.slowLinks().size());
        for (ClusterStatus.Node node : status.nodes()) {
            node.meanRoundTripNanos()
                    .ifPresent(nanos -> gauge(
                            "hearth.link.round.trip.seconds",
                            "Smoothed round trip of the link to a node",
                            Tags.of("peer", node.id().shortText(), "name", node.label()),
                            nanos / NANOS_PER_SECOND));
        }
    }

    private void election(ClusterStatus status, Tally tally, long nowMillis) {
        for (ElectionState state : ElectionState.values()) {
            counter(
                    "hearth.election.state.seconds",
                    "Seconds that this node spent in each state of the election",
                    Tags.of("state", small(state)),
                    tally.millis(state, nowMillis) / MILLIS_PER_SECOND);
        }
        counter("hearth.election.masters", "Changes of the master", Tags.empty(), tally.count(Kind.MASTER));
        gauge(
                "hearth.election.is.master",
                "1 while this node is the master",
                Tags.empty(),
                status.state() == ElectionState.MASTER ? 1 : 0);
    }

    private void events(Tally tally) {
        Arrays.stream(Kind.values())
                .forEach(kind -> counter(
                        "hearth.events",
                        "Events of the cluster, such as joins and losses of members",
                        Tags.of("kind", small(kind)),
                        tally.count(kind)));
    }

    private void discovery(ClusterStatus status) {
        for (MdnsCounters each : status.mdns()) {
            Tags tags = Tags.of("interface", each.interfaceName());
            counter("hearth.mdns.sent.packets", "mDNS packets sent", tags, each.sent());
            counter(
                    "hearth.mdns.send.failures",
                    "mDNS packets that the system did not send",
                    tags,
                    each.sendFailures());
            counter("hearth.mdns.heard.records", "DNS records heard", tags, each.recordsHeard());
            counter("hearth.mdns.dropped.packets", "Datagrams that were rejected", tags, each.dropped());
            counter("hearth.mdns.restarts", "Replacements of a broken socket", tags, each.restarted());
        }
        status.ignored()
                .forEach((reason, count) -> counter(
                        "hearth.messages.ignored",
                        "Well-formed messages of linked nodes that had no effect",
                        Tags.of("reason", small(reason)),
                        count));
    }

    private void job(JobReport job) {
        Tags tags = Tags.of("group", job.group(), "trainer", job.trainer().shortText());
        gauge("hearth.job.world.size", "Ranks of the training", tags, job.world());
        gauge("hearth.job.rank", "Rank of this trainer; -1 while it has none", tags, job.rank());
        job.progress().ifPresent(made -> {
            gauge("hearth.job.step", "The step that ended last", tags, made.step());
            gauge("hearth.job.steps", "Steps of the training; 0 if not known", tags, made.steps());
            gauge("hearth.job.loss", "Loss after that step", tags, made.loss());
        });
        JobReport.Collectives collectives = job.collectives();
        collectives
                .operations()
                .forEach((operation, counts) -> operation(tags.and("operation", operation.text()), counts));
        counter(
                "hearth.collective.repeated",
                "Exchanges that were repeated after the loss of a member",
                tags,
                collectives.repeated());
        counter(
                "hearth.compression.before.bytes",
                "Bytes that all-reduces would have sent without compression and overhead",
                tags,
                collectives.plainBytes());
        long sent = collectives.sums().sentBytes();
        counter("hearth.compression.after.bytes", "Bytes that all-reduces sent", tags, sent);
        counter(
                "hearth.compression.seconds",
                "Time in which values were compressed or decompressed",
                tags,
                collectives.codecSeconds());
        if (sent > 0) {
            gauge(
                    "hearth.compression.ratio",
                    "Bytes without compression by bytes sent",
                    tags.and("compression", collectives.compression().isEmpty() ? "none" : collectives.compression()),
                    (double) collectives.plainBytes() / sent);
        }
    }

    private void operation(Tags tags, OperationCounts counts) {
        values.add(counts);
        FunctionTimer.builder(
                        "hearth.collective.duration",
                        counts,
                        each -> each.completed() + each.failed(),
                        OperationCounts::seconds,
                        TimeUnit.SECONDS)
                .description("Collectives that ended, with or without a result, and their time")
                .tags(tags)
                .register(registry);
        counter("hearth.collective.failed", "Collectives that ended with an error", tags, counts.failed());
        counter("hearth.collective.sent.bytes", "Bytes sent for collectives", tags, counts.sentBytes());
    }

    private void links(LinkCounters links) {
        counter(
                "hearth.links.made",
                "Links made; each after the first to a peer is a reconnect",
                Tags.empty(),
                links.admitted());
        for (LinkRejection cause : LinkRejection.values()) {
            counter(
                    "hearth.links.refused",
                    "Connections that did not become links",
                    Tags.of("cause", small(cause)),
                    links.refusals().getOrDefault(cause, 0L));
        }
        counter("hearth.links.malformed", "Links closed because of malformed input", Tags.empty(), links.malformed());
        counter(
                "hearth.links.streams.refused",
                "Connections to the data port that became no stream",
                Tags.empty(),
                links.streamsRefused());
        Tags in = Tags.of("direction", "in");
        Tags out = Tags.of("direction", "out");
        counter("hearth.links.bytes", LINK_BYTES, in, links.bytesIn());
        counter("hearth.links.bytes", LINK_BYTES, out, links.bytesOut());
        counter("hearth.links.messages", LINK_MESSAGES, in, links.messagesIn());
        counter("hearth.links.messages", LINK_MESSAGES, out, links.messagesOut());
        counter(
                "hearth.links.messages.dropped",
                "Messages that had no link, or found its queue full",
                Tags.empty(),
                links.droppedSends());
    }

    private void gauge(String name, String help, Tags tags, Number value) {
        Gauge.builder(name, () -> value)
                .description(help)
                .tags(tags)
                .strongReference(true)
                .register(registry);
    }

    private void counter(String name, String help, Tags tags, Number value) {
        values.add(value);
        FunctionCounter.builder(name, value, Number::doubleValue)
                .description(help)
                .tags(tags)
                .register(registry);
    }

    private static String small(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
