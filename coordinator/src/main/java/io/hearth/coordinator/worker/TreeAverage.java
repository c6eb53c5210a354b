package io.hearth.coordinator.worker;

import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.ExchangeException.Reason;
import io.hearth.coordinator.Tensor;
import io.hearth.coordinator.collective.Intake;
import io.hearth.coordinator.collective.Manifest;
import io.hearth.coordinator.collective.Tree;
import io.hearth.coordinator.distributed.wire.AllReduceRequest;
import io.hearth.coordinator.distributed.wire.AllReduceResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The average along a tree: each worker adds what its children send, in the order of their ranks, and sends the sum with the number of
 * workers in it to its parent. The root divides.
 */
final class TreeAverage {
    private final Scope scope;
    private final Tree tree;
    private final Arrival.Round round;
    private final Gathering<Incoming> gathering;
    private boolean hasCalledParent;

    TreeAverage(Scope scope, Tree tree, Arrival.Round round) {
        this.scope = scope;
        this.tree = tree;
        this.round = round;
        this.gathering = new Gathering<>(scope.meetings().averages(), round, scope.deadlineNanos());
    }

    Map<String, Tensor> run(Map<String, Tensor> tensors) throws ExchangeException, InterruptedException {
        try {
            Manifest manifest = Manifest.of(tensors);
            float[] values = manifest.flat(tensors);
            int weight = gather(manifest, values);
            if (tree.parent(scope.rank()).isPresent()) {
                askParent(tree.parent(scope.rank()).getAsInt(), manifest, values, weight);
            } else {
                for (int i = 0; i < values.length; i++) {
                    values[i] /= weight;
                }
            }
            gathering.done();
            answer(manifest, values);
            return manifest.tensors(values);
        } catch (ExchangeException failed) {
            fail(failed, scope.farewell());
            throw failed;
        } catch (InterruptedException stop) {
            fail(scope.interrupted(), scope.shortFarewell());
            throw stop;
        }
    }

    private int gather(Manifest manifest, float[] values) throws ExchangeException, InterruptedException {
        int weight = 1;
        for (int child : tree.children(scope.rank())) {
            Incoming incoming = gathering.take(child);
            String who = Scope.who(child);
            var intake = new Intake(who, manifest, values, true);
            @Nullable AllReduceRequest next = incoming.next(who, scope.deadlineNanos());
            weight += weight(who, next);
            while (next != null) {
                if (next.hasTensor()) {
                    check(intake.take(
                            next.getName(),
                            next.getTensor().getShapeList(),
                            next.getOffset(),
                            Wire.data(next.getTensor())));
                }
                next = incoming.next(who, scope.deadlineNanos());
            }
            check(intake.end());
        }
        return weight;
    }

    private int weight(String who, @Nullable AllReduceRequest first) throws ExchangeException {
        if (first == null || !first.hasRound()) {
            return 1;
        }
        int weight = first.getRound().getWeight();
        if (weight < 1 || weight > tree.size()) {
            throw new ExchangeException(
                    Reason.MISMATCH,
                    who + " averages by another plan, such as a ring: all workers have to have the same");
        }
        return weight;
    }

    static void check(Optional<String> difference) throws ExchangeException {
        if (difference.isPresent()) {
            throw new ExchangeException(
                    Reason.MISMATCH, difference.get() + ": all workers have to average the same tensors");
        }
    }

    private void askParent(int parent, Manifest manifest, float[] values, int weight)
            throws ExchangeException, InterruptedException {
        hasCalledParent = true;
        String who = Scope.who(parent);
        Outgoing out = scope.stream(parent);
        out.send(AllReduceRequest.newBuilder()
                .setRound(Outgoing.header(round, scope.rank()).setWeight(weight))
                .build());
        out.send(manifest, values);
        out.end();
        var intake = new Intake(who, manifest, values, false);
        for (Optional<AllReduceResponse> answer = out.next(); answer.isPresent(); answer = out.next()) {
            AllReduceResponse part = answer.get();
            check(intake.take(
                    part.getName(), part.getTensor().getShapeList(), part.getOffset(), Wire.data(part.getTensor())));
        }
        check(intake.end());
    }

    private void answer(Manifest manifest, float[] values) throws InterruptedException {
        List<Thread> senders = new ArrayList<>();
        gathering
                .taken()
                .values()
                .forEach(incoming -> senders.add(Thread.startVirtualThread(() -> {
                    try {
                        incoming.answer(manifest, values, scope.farewell().deadlineNanos());
                    } catch (InterruptedException stop) {
                        Thread.currentThread().interrupt();
                    }
                })));
        for (Thread sender : senders) {
            sender.join();
        }
    }

    private void fail(ExchangeException why, Scope farewell) throws InterruptedException {
        gathering.fail(why);
        if (hasCalledParent || tree.parent(scope.rank()).isEmpty()) {
            return;
        }
        try {
            farewell.stream(tree.parent(scope.rank()).getAsInt()).fail(Outgoing.header(round, scope.rank()), why);
        } catch (ExchangeException unreachable) { // then its own time is up soon
            why.addSuppressed(unreachable);
        }
    }
}
