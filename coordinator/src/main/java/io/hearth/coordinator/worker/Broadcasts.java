package io.hearth.coordinator.worker;

import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.ExchangeException.Reason;
import io.hearth.coordinator.Tensor;
import io.hearth.coordinator.collective.Intake;
import io.hearth.coordinator.collective.Manifest;
import io.hearth.coordinator.collective.Tree;
import io.hearth.coordinator.distributed.wire.BroadcastRequest;
import io.hearth.coordinator.distributed.wire.BroadcastResponse;
import io.hearth.coordinator.distributed.wire.Round;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A broadcast along a tree. A worker asks its parent when all its children have asked it, fetches the tensor in parts, and stays until
 * its children have fetched it. So no worker gets a value before all have come, and no old tensor stays behind.
 */
final class Broadcasts {
    private final Scope scope;
    private final Tree tree;
    private final Arrival.Round round;
    private final Gathering<UnaryArrival<BroadcastRequest>> gathering;
    private boolean hasCalledParent;

    Broadcasts(Scope scope, Tree tree, Arrival.Round round) {
        this.scope = scope;
        this.tree = tree;
        this.round = round;
        this.gathering = new Gathering<>(scope.meetings().broadcasts(), round, scope.deadlineNanos());
    }

    /** Returns the root's tensor; {@code mine} is that, or one of its shape. */
    Tensor run(Tensor mine) throws ExchangeException, InterruptedException {
        try {
            Manifest manifest = Manifest.of(Map.of(round.name(), mine));
            Manifest.Entry entry = manifest.entries().getFirst();
            for (int child : tree.children(scope.rank())) {
                check(child, manifest, gathering.take(child).request());
            }
            float[] values = mine.data();
            if (tree.parent(scope.rank()).isPresent()) {
                values = new float[entry.length()];
                fetch(tree.parent(scope.rank()).getAsInt(), manifest, entry, values);
            }
            publish(entry, values);
            return Tensor.of(mine.shape(), values);
        } catch (ExchangeException failed) {
            gathering.fail(failed);
            tellParent(failed, scope.farewell());
            throw failed;
        } catch (InterruptedException stop) {
            ExchangeException why = scope.interrupted();
            gathering.fail(why);
            tellParent(why, scope.shortFarewell());
            throw stop;
        }
    }

    private void check(int child, Manifest manifest, BroadcastRequest request) throws ExchangeException {
        if (!request.hasRound()) {
            return; // of another maker: it takes what there is
        }
        Barriers.checkHealthy(request.getRound());
        if (request.getRound().getRoot() != tree.root()) {
            throw new ExchangeException(
                    Reason.MISMATCH,
                    Scope.who(child) + " takes rank " + request.getRound().getRoot() + " for the root of "
                            + round.name() + ", this worker rank " + tree.root());
        }
        TreeAverage.check(manifest.difference(
                Scope.who(child), request.getName(), request.getTensor().getShapeList()));
    }

    private void fetch(int parent, Manifest manifest, Manifest.Entry entry, float[] values)
            throws ExchangeException, InterruptedException {
        hasCalledParent = true;
        var intake = new Intake(Scope.who(parent), manifest, values, false);
        int at = 0;
        do {
            BroadcastResponse answer = call(scope, parent, entry, header(), at);
            float[] data = Wire.data(answer.getTensor());
            if (data.length == 0 && entry.length() > 0) {
                throw new ExchangeException(Reason.MISMATCH, Scope.who(parent) + " has sent an empty part");
            }
            TreeAverage.check(intake.take(entry.name(), answer.getTensor().getShapeList(), answer.getOffset(), data));
            at += data.length;
        } while (at < entry.length());
    }

    private Round.Builder header() {
        return Outgoing.header(round, scope.rank()).setRoot(tree.root());
    }

    private BroadcastResponse call(Scope within, int parent, Manifest.Entry entry, Round.Builder header, int offset)
            throws ExchangeException, InterruptedException {
        byte[] request = BroadcastRequest.newBuilder()
                .setName(entry.name())
                .setTensor(Wire.tensor(entry, new float[0], 0, 0))
                .setRound(header)
                .setOffset(offset)
                .build()
                .toByteArray();
        byte[] answer = within.peers()
                .call(
                        Scope.who(parent),
                        scope.world().addresses().get(parent),
                        Wire.BROADCAST,
                        request,
                        within.deadlineNanos());
        return Wire.read(BroadcastResponse::parseFrom, answer);
    }

    private void publish(Manifest.Entry entry, float[] values) throws ExchangeException, InterruptedException {
        Published published = scope.meetings().published();
        published.open(round, entry, values, Set.copyOf(gathering.taken().keySet()));
        try {
            gathering.done();
            gathering.taken().forEach((child, arrival) -> published.serve(round, arrival, child));
            published.awaitFetched(round, scope.deadlineNanos());
        } finally {
            published.close(round);
        }
    }

    private void tellParent(ExchangeException why, Scope farewell) throws InterruptedException {
        Optional<Integer> parent = tree.parent(scope.rank()).stream().boxed().findFirst();
        if (hasCalledParent || parent.isEmpty()) {
            return;
        }
        try {
            var nothing = new Manifest.Entry(round.name(), List.of(), 0, 0);
            var _ = call(farewell, parent.get(), nothing, Outgoing.failed(header(), why), 0);
        } catch (ExchangeException expected) { // it ends with the failure
            why.addSuppressed(expected);
        }
    }
}
