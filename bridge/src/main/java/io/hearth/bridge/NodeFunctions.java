package io.hearth.bridge;

import io.hearth.bridge.log.LogDelivery;
import io.hearth.election.View;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.LongStream;

/** The functions of a trainer's life, and those that wait. {@code hearth.h} describes them. */
final class NodeFunctions {
    private static final int CONFIG_MAX = 64 << 10;
    private static final Lane OPENING = new Lane("hearth-open");

    private NodeFunctions() {}

    static long lastError(MemorySegment text, long capacity) {
        return Answers.of(() -> NativeText.write(Answers.lastError(), text, capacity));
    }

    static long libraryVersion(MemorySegment text, long capacity) {
        return Answers.of(() -> NativeText.write(
                Optional.ofNullable(Bridge.class.getPackage().getImplementationVersion())
                        .orElse("unknown"),
                text,
                capacity));
    }

    static long onLog(long level, MemorySegment function, MemorySegment user) {
        return Answers.of(() -> {
            LogDelivery.to(NativeText.number(level, "the level"), function, user);
            return 0;
        });
    }

    static long wait(long call, long millis, MemorySegment outcome) {
        return Answers.of(() -> {
            CompletableFuture<Outcome> end = BridgeState.CALLS.get(call);
            if (millis <= 0 && !end.isDone()) {
                return Answers.NOT_YET;
            }
            Outcome done;
            try {
                done = end.get(Math.max(1, millis), TimeUnit.MILLISECONDS);
            } catch (TimeoutException notYet) {
                return Answers.NOT_YET;
            } catch (ExecutionException failed) {
                done = Outcome.of(Answers.failure(failed));
            }
            done.writeTo(outcome);
            BridgeState.CALLS.remove(call);
            return done.answer();
        });
    }

    static long isDone(long call) {
        return Answers.of(() -> BridgeState.CALLS.get(call).isDone() ? 1 : 0);
    }

    static long open(MemorySegment settings) {
        return Answers.of(() -> {
            String text = NativeText.read(settings, "the configuration", CONFIG_MAX);
            return BridgeState.begin(
                    () -> OPENING.run(() -> Outcome.of(BridgeState.GROUPS.add(() -> BridgeGroup.open(text)))));
        });
    }

    static long waitForPeers(long group, long peers, long millis) {
        return Answers.of(() -> BridgeState.begin(() ->
                group(group).waitForPeers(NativeText.number(peers, "peers"), Duration.ofMillis(Math.max(0, millis)))));
    }

    static long start(long group, long least, long millis) {
        return Answers.of(() -> BridgeState.begin(
                () -> group(group).start(NativeText.number(least, "least"), Duration.ofMillis(Math.max(1, millis)))));
    }

    static long close(long group) {
        return Answers.of(() -> BridgeState.begin(() -> {
            BridgeGroup closing = group(group);
            BridgeState.GROUPS.remove(group);
            return closing.close();
        }));
    }

    static long abort(long group) {
        return Answers.of(() -> {
            BridgeGroup ending = group(group);
            BridgeState.GROUPS.remove(group);
            ending.abort();
            return 0;
        });
    }

    static long rank(long group) {
        return Answers.of(() -> group(group).ranks().rank());
    }

    static long worldSize(long group) {
        return Answers.of(() -> group(group).ranks().worldSize());
    }

    static long isInGroup(long group) {
        return Answers.of(() -> group(group).ranks().isInGroup() ? 1 : 0);
    }

    static long status(long group, MemorySegment text, long capacity) {
        return Answers.of(() -> NativeText.write(group(group).status(), text, capacity));
    }

    static long progress(long group, MemorySegment text, long capacity) {
        return Answers.of(() -> NativeText.write(group(group).progress(), text, capacity));
    }

    static long sentBytes(long group, long dense) {
        return Answers.of(() -> group(group).sentBytes(dense != 0));
    }

    static long report(long group, long step, long steps, double loss) {
        return Answers.of(() -> {
            group(group).node().report(step, steps, loss);
            return 0;
        });
    }

    static long split(long group, MemorySegment ranks, long count) {
        return Answers.of(() -> {
            if (count < 1 || count > View.MEMBERS_MAX) {
                throw new IllegalArgumentException("a subgroup has 1 to " + View.MEMBERS_MAX + " ranks, got " + count);
            }
            MemorySegment numbers = NativeText.buffer(ranks, count * Long.BYTES);
            List<Integer> list = LongStream.range(0, count)
                    .map(i -> numbers.get(ValueLayout.JAVA_LONG_UNALIGNED, i * Long.BYTES))
                    .mapToObj(rank -> NativeText.number(rank, "a rank"))
                    .toList();
            return BridgeState.begin(() -> group(group).split(list));
        });
    }

    private static BridgeGroup group(long handle) {
        return BridgeState.GROUPS.get(handle);
    }
}
