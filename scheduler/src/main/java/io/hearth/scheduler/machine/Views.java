package io.hearth.scheduler.machine;

import io.hearth.scheduler.DataAdvice;
import io.hearth.scheduler.JobState;
import io.hearth.scheduler.JobView;
import io.hearth.scheduler.NodeStatus;
import io.hearth.scheduler.Progress;
import io.hearth.scheduler.SchedulerMetrics;
import io.hearth.scheduler.SchedulerSettings;
import io.hearth.scheduler.Shard;
import io.hearth.scheduler.ledger.Job;
import io.hearth.scheduler.ledger.Member;
import io.hearth.scheduler.ledger.SchedulerLedger;
import io.hearth.scheduler.machine.SchedulerState.Sight;
import io.hearth.scheduler.rule.Health;
import io.hearth.scheduler.rule.PrefetchAdvice;
import io.hearth.scheduler.rule.Rate;
import io.hearth.scheduler.rule.Stragglers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * What callers and pages see of a scheduler at one instant.
 *
 * @param now monotonic time in nanoseconds
 */
public record Views(SchedulerState state, SchedulerSettings settings, long now) {
    private static final double NANOS_PER_SECOND = 1e9;

    /** All jobs, the newest first. */
    public List<JobView> jobs() {
        return state.ledger().jobs().values().stream()
                .sorted((one, other) -> Long.compare(other.number(), one.number()))
                .map(this::job)
                .toList();
    }

    /** The nodes that registered, with their status. */
    public SortedMap<String, NodeStatus> nodes() {
        var nodes = new TreeMap<String, NodeStatus>();
        state.ledger().nodes().keySet().forEach(id -> nodes.put(id, status(id)));
        return nodes;
    }

    /** The status of a node. */
    public NodeStatus status(String id) {
        SchedulerLedger.Node node = state.ledger().nodes().get(id);
        Sight sight = state.sights().get(id);
        if (node == null || node.isAway()) {
            return NodeStatus.OFFLINE;
        }
        if (sight == null || !sight.isHeard()) {
            return NodeStatus.UNKNOWN;
        }
        return Health.of(now - sight.nanos(), settings.timeoutNanos(), sight.load(), sight.isAccused());
    }

    /** A job with its nodes. */
    public JobView job(Job job) {
        String name = job.spec().name();
        SortedSet<String> behind = state.stragglers().getOrDefault(name, Collections.emptySortedSet());
        int[] open = job.shards().open(job.members().size());
        var nodes = new ArrayList<JobView.NodeView>();
        double perSecond = 0;
        long processed = 0;
        for (int i = 0; i < open.length; i++) {
            Member member = job.members().get(i);
            Optional<Progress> news = Optional.ofNullable(state.sights().get(member.id()))
                    .map(sight -> sight.progress().get(name));
            boolean goes = !member.isAway() && !job.state().isOver();
            double rate = goes ? rate(member.id(), name) : 0;
            long samples =
                    Math.max(member.samples(), news.map(Progress::samples).orElse(0L));
            perSecond += rate;
            processed += samples;
            nodes.add(new JobView.NodeView(
                    member.id(),
                    member.isAway() ? NodeStatus.OFFLINE : status(member.id()),
                    Math.max(member.epoch(), news.map(Progress::epoch).orElse(0L)),
                    samples,
                    rate,
                    open[i],
                    behind.contains(member.id())));
        }
        OptionalDouble eta = job.state().isOver()
                ? OptionalDouble.empty()
                : Rate.etaSeconds(job.spec().samples() * job.spec().epochs(), processed, perSecond);
        return new JobView(
                job.spec(),
                job.state(),
                job.reason(),
                job.pass(),
                job.shards().done(),
                perSecond,
                eta,
                job.barrier(),
                nodes);
    }

    private double rate(String node, String job) {
        Sight sight = state.sights().get(node);
        Rate rate = sight == null ? null : sight.rates().get(job);
        return rate == null ? 0 : rate.perSecond();
    }

    /** How to read a shard. */
    DataAdvice advice(String name, int shard) {
        Job job = state.ledger().jobs().get(name);
        if (job == null) {
            PrefetchAdvice none = PrefetchAdvice.UNKNOWN_JOB;
            return new DataAdvice(Optional.empty(), "", none.bytes(), none.isCached(), List.of());
        }
        Shard wanted = job.shard(shard);
        SchedulerLedger.Node owner = state.ledger().nodes().get(wanted.owner());
        PrefetchAdvice advice = PrefetchAdvice.of(
                job.spec().topology(), job.spec().batch(), job.members().size());
        List<String> near = job.present().stream()
                .map(Member::id)
                .filter(id -> Optional.ofNullable(state.ledger().nodes().get(id))
                        .filter(node -> Stragglers.isNear(node.spec()))
                        .isPresent())
                .toList();
        return new DataAdvice(
                Optional.of(wanted),
                owner == null ? "" : owner.spec().address(),
                advice.bytes(),
                advice.isCached(),
                near);
    }

    /** The counters. */
    public SchedulerMetrics metrics() {
        SchedulerLedger ledger = state.ledger();
        List<Job> active = ledger.jobs().values().stream()
                .filter(job -> !job.state().isOver())
                .toList();
        long barriers = state.counters().barriers();
        return new SchedulerMetrics(
                ledger.jobsEver(),
                active.size(),
                nodes().values().stream()
                        .filter(status -> status != NodeStatus.OFFLINE && status != NodeStatus.UNKNOWN)
                        .count(),
                active.stream().mapToLong(job -> job.shards().count()).sum(),
                state.counters().events(),
                barriers,
                state.counters().lastNanos() / NANOS_PER_SECOND,
                barriers == 0 ? 0 : state.counters().totalNanos() / NANOS_PER_SECOND / barriers);
    }

    /** Whether a node is behind in a job. */
    boolean isStraggler(String job, String node) {
        return state.stragglers()
                .getOrDefault(job, Collections.emptySortedSet())
                .contains(node);
    }

    /** The jobs that go on with a node. */
    List<String> jobsOf(String node) {
        return state.ledger().jobs().values().stream()
                .filter(job -> job.state() == JobState.RUNNING && job.indexOf(node) >= 0)
                .map(job -> job.spec().name())
                .toList();
    }
}
