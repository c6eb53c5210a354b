package io.hearth.lighthouse.machine;

import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.lighthouse.LighthouseSettings;
import io.hearth.lighthouse.Quorum;
import io.hearth.lighthouse.QuorumMember;
import io.hearth.lighthouse.machine.LighthouseState.Asking;
import io.hearth.lighthouse.machine.LighthouseState.Heard;
import io.hearth.serve.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.pcollections.PSortedMap;
import org.pcollections.TreePMap;

/**
 * A lighthouse, pure: it hears heartbeats, and forms quorums of the replicas that ask.
 *
 * <p>A replica is healthy while its last heartbeat is younger than the time-out. One that never sent a heartbeat is healthy while it
 * waits. A caller that is gone is removed at once: a quorum has only members whose callers wait. A node that begins to answer takes
 * the members of the last quorum for healthy, so that the first of them that calls does not train alone.
 */
public final class LighthouseMachine implements Machine<LighthouseState, LighthouseEvent, LighthouseEffect> {
    /** Replicas that are remembered. */
    static final int REPLICAS_MAX = 10_000;

    /** Bytes of what all replicas that wait say of themselves: they become one answer, and clients of gRPC take 4 MiB. */
    static final int ASKING_BYTES_MAX = 1024 * 1024;

    /** Bytes of what a replica says of itself. */
    static final int MEMBER_BYTES_MAX = 16 * 1024;

    /** Open calls of one replica. */
    static final int CALLS_MAX = 64;

    /** Heartbeat time-outs after which a silent replica is forgotten. */
    static final int FORGET_AFTER = 12;

    /** Until a quorum that waits is looked at again after news of a replica that does not ask. */
    private static final long NEWS_NANOS = 100_000_000;

    private final LighthouseSettings settings;

    public LighthouseMachine(LighthouseSettings settings) {
        this.settings = settings;
    }

    /** One step under construction. */
    private static final class Turn {
        private final long now;
        private PSortedMap<String, Heard> heard;
        private PSortedMap<String, Asking> asking;
        private final List<LighthouseEffect> effects = new ArrayList<>();
        private Optional<List<QuorumMember>> forming;
        private long attempts;
        private List<String> before;
        private String reason;

        private Turn(LighthouseState state, long now) {
            this.now = now;
            this.heard = state.heard();
            this.asking = state.asking();
            this.forming = state.forming();
            this.attempts = state.attempts();
            this.before = state.before();
            this.reason = state.reason();
        }

        private void fail(long call, Failure.Code code, String text) {
            effects.add(new LighthouseEffect.Fail(call, new Failure(code, text)));
        }

        private LighthouseState state() {
            return new LighthouseState(heard, asking, forming, attempts, before, reason, Long.MAX_VALUE);
        }
    }

    @Override
    public Step<LighthouseState, LighthouseEffect> step(LighthouseState state, LighthouseEvent event, long nowNanos) {
        var turn = new Turn(state, nowNanos);
        switch (event) {
            case LighthouseEvent.Heartbeat(long call, String id) -> {
                return heartbeat(state, turn, call, id);
            }
            case LighthouseEvent.Ask(long call, QuorumMember member) -> {
                if (!ask(turn, call, member)) {
                    return new Step<>(state, turn.effects);
                }
            }
            case LighthouseEvent.Ended(long call) -> end(turn, call);
            case LighthouseEvent.Formed formed -> formed(turn, formed);
            case LighthouseEvent.NotFormed(long attempt, Failure why) -> {
                if (turn.forming.isPresent() && attempt == turn.attempts) {
                    failAll(turn, why);
                }
            }
            case LighthouseEvent.Elected(List<String> members) -> {
                turn.before = members;
                for (String id : members) {
                    if (!turn.heard.containsKey(id)) {
                        // its first heartbeat shows that it sends them
                        turn.heard = turn.heard.plus(id, new Heard(nowNanos, false));
                    }
                }
            }
            case LighthouseEvent.Deposed(Failure why) -> {
                failAll(turn, why);
                turn.heard = TreePMap.empty();
                turn.before = List.of();
            }
            case LighthouseEvent.Tick() -> forget(turn);
        }
        return decided(turn);
    }

    private Step<LighthouseState, LighthouseEffect> decided(Turn turn) {
        decide(turn);
        LighthouseState next = turn.state();
        return new Step<>(next.look(look(next, turn.now)), turn.effects);
    }

    /**
     * Decides only if the replica asks: one more that does not cannot complete a quorum. So no heartbeat of a stranger costs a walk over
     * all replicas.
     */
    private Step<LighthouseState, LighthouseEffect> heartbeat(LighthouseState state, Turn turn, long call, String id) {
        Heard known = state.heard().get(id);
        boolean isOrdinary = known != null && known.beats() && !isSilent(known, turn.now);
        if (!hear(turn, call, id, true)) {
            return new Step<>(state, turn.effects);
        }
        turn.effects.add(new LighthouseEffect.AnswerHeartbeat(call));
        if (!isOrdinary && state.asking().containsKey(id)) {
            return decided(turn);
        }
        long look = state.lookNanos();
        if (!isOrdinary) {
            long pause = state.asking().isEmpty() ? settings.heartbeatTimeoutNanos() : NEWS_NANOS;
            look = Math.min(look, turn.now + pause);
        }
        return new Step<>(turn.state().look(look), turn.effects);
    }

    private boolean isSilent(Heard heard, long nowNanos) {
        return nowNanos - heard.nanos() >= settings.heartbeatTimeoutNanos();
    }

    private boolean hear(Turn turn, long call, String id, boolean beats) {
        if (id.isEmpty() || id.length() > QuorumMember.ID_CHARACTERS_MAX) {
            turn.fail(
                    call,
                    Failure.Code.INVALID_ARGUMENT,
                    "a replica_id has 1 to " + QuorumMember.ID_CHARACTERS_MAX + " characters, got " + id.length());
            return false;
        }
        Heard known = turn.heard.get(id);
        if (known == null && turn.heard.size() >= REPLICAS_MAX) {
            turn.fail(
                    call,
                    Failure.Code.RESOURCE_EXHAUSTED,
                    REPLICAS_MAX + " replicas are known already; silent ones are forgotten after "
                            + FORGET_AFTER * settings.heartbeatTimeoutNanos() / 1_000_000_000 + " s");
            return false;
        }
        turn.heard = turn.heard.plus(id, new Heard(turn.now, beats || (known != null && known.beats())));
        return true;
    }

    private boolean ask(Turn turn, long call, QuorumMember member) {
        if (member.step() < 0 || member.commitFailures() < 0) {
            turn.fail(
                    call,
                    Failure.Code.INVALID_ARGUMENT,
                    "step and commit_failures are not negative, got " + member.step() + " and "
                            + member.commitFailures());
            return false;
        }
        if (member.encoded().size() > MEMBER_BYTES_MAX) {
            turn.fail(
                    call,
                    Failure.Code.RESOURCE_EXHAUSTED,
                    "a requester has at most " + MEMBER_BYTES_MAX + " bytes, got "
                            + member.encoded().size());
            return false;
        }
        Asking known = turn.asking.get(member.replicaId());
        int commandBytes = QuorumLedger.formBytes(member.replicaId());
        int answerBytes = member.encoded().size();
        for (Asking other : turn.asking.values()) {
            if (!other.member().replicaId().equals(member.replicaId())) {
                commandBytes += QuorumLedger.formBytes(other.member().replicaId());
                answerBytes += other.member().encoded().size();
            }
        }
        if (commandBytes > QuorumLedger.FORM_BYTES_MAX || answerBytes > ASKING_BYTES_MAX) {
            turn.fail(
                    call,
                    Failure.Code.RESOURCE_EXHAUSTED,
                    turn.asking.size() + " replicas wait already; with this one their ids have " + commandBytes
                            + " bytes ("
                            + QuorumLedger.FORM_BYTES_MAX
                            + " are the limit of a quorum), and what they say of themselves "
                            + answerBytes + " bytes (" + ASKING_BYTES_MAX + " are)");
            return false;
        }
        if (!hear(turn, call, member.replicaId(), false)) {
            return false;
        }
        var calls = new TreeSet<Long>();
        if (known != null) {
            calls.addAll(known.calls());
        }
        if (calls.size() >= CALLS_MAX) {
            turn.fail(
                    call,
                    Failure.Code.RESOURCE_EXHAUSTED,
                    "replica " + member.replicaId() + " has " + CALLS_MAX + " open calls");
            return false;
        }
        calls.add(call);
        turn.asking = turn.asking.plus(
                member.replicaId(), new Asking(member, known == null ? turn.now : known.sinceNanos(), calls));
        return true;
    }

    private static void end(Turn turn, long call) {
        turn.asking.entrySet().stream()
                .filter(entry -> entry.getValue().calls().contains(call))
                .findFirst()
                .ifPresent(entry -> {
                    Asking asking = entry.getValue();
                    var calls = new TreeSet<>(asking.calls());
                    calls.remove(call);
                    if (calls.isEmpty()) {
                        turn.asking = turn.asking.minus(entry.getKey());
                    } else {
                        turn.asking = turn.asking.plus(
                                entry.getKey(), new Asking(asking.member(), asking.sinceNanos(), calls));
                    }
                });
    }

    private static void formed(Turn turn, LighthouseEvent.Formed formed) {
        if (turn.forming.isEmpty() || formed.attempt() != turn.attempts) {
            return;
        }
        var quorum = new Quorum(formed.quorumId(), turn.forming.get(), formed.nowMillis());
        turn.forming = Optional.empty();
        turn.before = quorum.members().stream().map(QuorumMember::replicaId).toList();
        var answers = new ArrayList<LighthouseEffect>();
        PSortedMap<String, Asking> left = turn.asking;
        for (QuorumMember member : quorum.members()) {
            Asking asking = turn.asking.get(member.replicaId());
            if (asking == null || !asking.member().equals(member)) {
                return; // this member left while the quorum was stored: no caller gets it
            }
            left = left.minus(member.replicaId());
            asking.calls().forEach(call -> answers.add(new LighthouseEffect.AnswerQuorum(call, quorum)));
        }
        turn.asking = left;
        turn.effects.addAll(answers);
    }

    private static void failAll(Turn turn, Failure why) {
        turn.forming = Optional.empty();
        turn.asking
                .values()
                .forEach(asking ->
                        asking.calls().forEach(call -> turn.effects.add(new LighthouseEffect.Fail(call, why))));
        turn.asking = TreePMap.empty();
    }

    private void forget(Turn turn) {
        long oldest = FORGET_AFTER * settings.heartbeatTimeoutNanos();
        List<String> silent = turn.heard.entrySet().stream()
                .filter(entry -> turn.now - entry.getValue().nanos() >= oldest)
                .map(Map.Entry::getKey)
                .filter(id -> !turn.asking.containsKey(id))
                .toList();
        turn.heard = turn.heard.minusAll(silent);
    }

    private boolean isHealthy(Turn turn, String id, Heard heard) {
        return !isSilent(heard, turn.now) || (!heard.beats() && turn.asking.containsKey(id));
    }

    private void decide(Turn turn) {
        if (turn.forming.isPresent()) {
            return;
        }
        var healthy = new TreeSet<String>();
        turn.heard.forEach((id, heard) -> {
            if (isHealthy(turn, id, heard)) {
                healthy.add(id);
            }
        });
        SortedMap<String, QuorumMember> asking = new TreeMap<>();
        long first = turn.now;
        for (var entry : turn.asking.entrySet()) {
            if (healthy.contains(entry.getKey())) {
                asking.put(entry.getKey(), entry.getValue().member());
                first = Math.min(first, entry.getValue().sinceNanos());
            }
        }
        if (asking.isEmpty()) {
            return;
        }
        QuorumRules.Verdict verdict =
                QuorumRules.decide(new QuorumRules.Situation(asking, healthy, turn.before, turn.now - first), settings);
        if (!verdict.reason().equals(turn.reason)) {
            turn.reason = verdict.reason();
            turn.effects.add(new LighthouseEffect.Explain(turn.reason));
        }
        verdict.members().ifPresent(members -> {
            turn.forming = Optional.of(members);
            turn.attempts++;
            List<String> ids = members.stream().map(QuorumMember::replicaId).toList();
            boolean hasFailed = members.stream().anyMatch(member -> member.commitFailures() > 0);
            turn.effects.add(
                    new LighthouseEffect.Form(turn.attempts, ids, hasFailed, hasFailed || !ids.equals(turn.before)));
        });
    }

    @Override
    public long sleepNanos(LighthouseState state, long nowNanos) {
        return state.lookNanos() == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(0, state.lookNanos() - nowNanos);
    }

    /** The next instant at which a wait or a replica's health may end. */
    private long look(LighthouseState state, long nowNanos) {
        long sleep = Long.MAX_VALUE;
        for (var entry : state.heard().entrySet()) {
            long age = nowNanos - entry.getValue().nanos();
            if (age < settings.heartbeatTimeoutNanos()) {
                sleep = Math.min(sleep, settings.heartbeatTimeoutNanos() - age);
            } else if (!state.asking().containsKey(entry.getKey())) {
                sleep = Math.min(sleep, Math.max(0, FORGET_AFTER * settings.heartbeatTimeoutNanos() - age));
            }
        }
        for (Asking asking : state.asking().values()) {
            long wait = settings.joinTimeoutNanos() - (nowNanos - asking.sinceNanos());
            if (wait > 0) {
                sleep = Math.min(sleep, wait);
            }
        }
        return sleep == Long.MAX_VALUE ? sleep : nowNanos + sleep;
    }
}
