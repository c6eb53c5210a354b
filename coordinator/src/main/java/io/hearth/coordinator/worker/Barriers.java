package io.hearth.coordinator.worker;

import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.collective.Tree;
import io.hearth.coordinator.distributed.wire.BarrierRequest;
import io.hearth.coordinator.distributed.wire.BarrierResponse;
import io.hearth.coordinator.distributed.wire.Round;

/** A barrier along a tree: a worker calls its parent when all its children have come, and answers them when it is answered. */
final class Barriers {
    private final Scope scope;
    private final Tree tree;
    private final Arrival.Round round;
    private boolean hasCalledParent;

    Barriers(Scope scope, Tree tree, Arrival.Round round) {
        this.scope = scope;
        this.tree = tree;
        this.round = round;
    }

    void run() throws ExchangeException, InterruptedException {
        var gathering = new Gathering<>(scope.meetings().barriers(), round, scope.deadlineNanos());
        try {
            for (int child : tree.children(scope.rank())) {
                checkHealthy(gathering.take(child).request().getRound());
            }
            if (tree.parent(scope.rank()).isPresent()) {
                hasCalledParent = true;
                call(scope, Outgoing.header(round, scope.rank()));
            }
            gathering.done();
            gathering.taken().values().forEach(each -> each.answer(BarrierResponse.getDefaultInstance()));
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

    static void checkHealthy(Round header) throws ExchangeException {
        if (!header.getFailure().isEmpty()) {
            throw Wire.failure(header.getFailureCode(), header.getFailure());
        }
    }

    private void call(Scope within, Round.Builder header) throws ExchangeException, InterruptedException {
        int parent = tree.parent(scope.rank()).orElseThrow();
        var request = BarrierRequest.newBuilder().setRank(scope.rank()).setRound(header);
        var _ = within.peers()
                .call(
                        Scope.who(parent),
                        scope.world().addresses().get(parent),
                        Wire.BARRIER,
                        request.build().toByteArray(),
                        within.deadlineNanos());
    }

    private void tellParent(ExchangeException why, Scope farewell) throws InterruptedException {
        if (hasCalledParent || tree.parent(scope.rank()).isEmpty()) {
            return;
        }
        try {
            call(farewell, Outgoing.failed(Outgoing.header(round, scope.rank()), why));
        } catch (ExchangeException expected) { // it ends with the failure
            why.addSuppressed(expected);
        }
    }
}
