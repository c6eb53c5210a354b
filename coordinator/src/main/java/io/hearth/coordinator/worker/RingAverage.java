package io.hearth.coordinator.worker;

import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.ExchangeException.Reason;
import io.hearth.coordinator.Tensor;
import io.hearth.coordinator.collective.Manifest;
import io.hearth.coordinator.collective.Ring;
import io.hearth.coordinator.distributed.wire.AllReduceRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The average in a ring: each worker sends slices to the next rank, and takes those of the rank before it. */
final class RingAverage {
    private final Scope scope;
    private final int size;
    private final int left;
    private final int right;
    private final Arrival.Round round;
    private final Gathering<Incoming> gathering;
    private Optional<Outgoing> out = Optional.empty();
    private Optional<Sender> sender = Optional.empty();

    RingAverage(Scope scope, Arrival.Round round) {
        this.scope = scope;
        this.size = scope.world().size();
        this.left = Math.floorMod(scope.rank() - 1, size);
        this.right = Math.floorMod(scope.rank() + 1, size);
        this.round = round;
        this.gathering = new Gathering<>(scope.meetings().averages(), round, scope.deadlineNanos());
    }

    Map<String, Tensor> run(Map<String, Tensor> tensors) throws ExchangeException, InterruptedException {
        try {
            Manifest manifest = Manifest.of(tensors);
            float[] values = manifest.flat(tensors);
            if (size > 1) {
                circulate(manifest, values);
            }
            gathering.done();
            return manifest.tensors(values);
        } catch (ExchangeException failed) {
            fail(failed, scope.farewell());
            throw failed;
        } catch (InterruptedException stop) {
            fail(scope.interrupted(), scope.shortFarewell());
            throw stop;
        }
    }

    private void circulate(Manifest manifest, float[] values) throws ExchangeException, InterruptedException {
        Outgoing toRight = scope.stream(right);
        out = Optional.of(toRight);
        Sender greeting = start(() -> greet(toRight, manifest));
        Incoming fromLeft = gathering.take(left);
        TreeAverage.check(manifest.difference(Scope.who(left), greeting(fromLeft)));
        greeting.join();
        List<Ring.Move> moves = Ring.moves(scope.rank(), size);
        for (int i = 0; i < moves.size(); i++) {
            if (i == moves.size() / 2) {
                divide(values);
            }
            Ring.Move move = moves.get(i);
            Sender sending = start(() -> send(toRight, values, Ring.slice(move.send(), size, values.length)));
            receive(fromLeft, values, Ring.slice(move.receive(), size, values.length), move.adds());
            sending.join();
        }
        toRight.end();
        if (fromLeft.next(Scope.who(left), scope.deadlineNanos()) != null) {
            throw mismatch("sent more than its values");
        }
        fromLeft.end();
        while (toRight.next().isPresent()) {} // the next one has all
    }

    private void divide(float[] values) {
        Ring.Slice slice = Ring.slice(Ring.owned(scope.rank(), size), size, values.length);
        for (int i = slice.from(); i < slice.to(); i++) {
            values[i] /= size;
        }
    }

    /** Names and shapes come first, so that nobody adds what does not belong together. */
    private void greet(Outgoing toRight, Manifest manifest) throws ExchangeException, InterruptedException {
        List<Manifest.Entry> entries = manifest.entries();
        toRight.send(AllReduceRequest.newBuilder()
                .setRound(Outgoing.header(round, scope.rank()).setTensors(entries.size()))
                .build());
        for (Manifest.Entry entry : entries) {
            toRight.send(AllReduceRequest.newBuilder()
                    .setName(entry.name())
                    .setTensor(Wire.tensor(entry, new float[0], 0, 0))
                    .build());
        }
    }

    private Map<String, List<Integer>> greeting(Incoming fromLeft) throws ExchangeException, InterruptedException {
        AllReduceRequest first = next(fromLeft);
        int count = first.getRound().getTensors();
        if (first.getRound().getWeight() != 0 || !first.hasRound()) {
            throw mismatch("averages by another plan, such as a star: all workers have to have the same");
        }
        if (count < 0 || count > Manifest.TENSORS_MAX) {
            throw mismatch("has more tensors than a call takes");
        }
        var shapes = new LinkedHashMap<String, List<Integer>>();
        for (int i = 0; i < count; i++) {
            AllReduceRequest tensor = next(fromLeft);
            shapes.put(tensor.getName(), tensor.getTensor().getShapeList());
        }
        return shapes;
    }

    private AllReduceRequest next(Incoming fromLeft) throws ExchangeException, InterruptedException {
        @Nullable AllReduceRequest next = fromLeft.next(Scope.who(left), scope.deadlineNanos());
        if (next == null) {
            throw mismatch("ended its call before it had sent all");
        }
        return next;
    }

    private ExchangeException mismatch(String what) {
        return new ExchangeException(Reason.MISMATCH, Scope.who(left) + " " + what);
    }

    private static void send(Outgoing toRight, float[] values, Ring.Slice slice)
            throws ExchangeException, InterruptedException {
        for (int from = slice.from(); from < slice.to(); from += Wire.PART_VALUES) {
            int length = Math.min(Wire.PART_VALUES, slice.to() - from);
            toRight.send(AllReduceRequest.newBuilder()
                    .setTensor(Wire.values(values, from, length))
                    .setOffset(from)
                    .build());
        }
    }

    private void receive(Incoming fromLeft, float[] values, Ring.Slice slice, boolean adds)
            throws ExchangeException, InterruptedException {
        int at = slice.from();
        while (at < slice.to()) {
            AllReduceRequest part = next(fromLeft);
            float[] data = Wire.data(part.getTensor());
            if (part.getOffset() != at || data.length == 0 || data.length > slice.to() - at) {
                throw mismatch("sent values from " + part.getOffset() + " on where those from " + at + " on belong");
            }
            for (int i = 0; i < data.length; i++) {
                values[at + i] = adds ? values[at + i] + data[i] : data[i];
            }
            at += data.length;
        }
    }

    private Sender start(Sender.Work work) {
        var started = new Sender(work);
        sender = Optional.of(started);
        return started;
    }

    /** Tells both neighbours. Each of them tells the next one. */
    private void fail(ExchangeException why, Scope farewell) throws InterruptedException {
        gathering.fail(why);
        if (sender.isPresent()) {
            sender.get().stop();
        }
        try {
            if (out.isPresent()) {
                out.get().until(farewell.deadlineNanos()).fail(Outgoing.header(round, scope.rank()), why);
            } else if (size > 1) {
                farewell.stream(right).fail(Outgoing.header(round, scope.rank()), why);
            }
        } catch (ExchangeException unreachable) { // then its own time is up soon
            why.addSuppressed(unreachable);
        }
    }
}
