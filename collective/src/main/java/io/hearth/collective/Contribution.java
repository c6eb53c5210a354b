package io.hearth.collective;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.schedule.Blocks;
import io.hearth.collective.schedule.DirectAllGather;
import io.hearth.collective.schedule.HeldRound;
import io.hearth.collective.schedule.RingAllReduce;
import io.hearth.collective.schedule.RingNote;
import io.hearth.collective.schedule.Schedule;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** How one call's bytes travel: plain, broadcast, encoded, … Each attempt starts from the untouched input. */
interface Contribution {
    /** What one attempt needs. */
    record Place(Exchange exchange, Mesh mesh, CollectiveConfig config, Call call) {
        int world() {
            return mesh.world();
        }

        /** This rank's position in hop order. */
        int hop() {
            return mesh.byHop().position(mesh.rank());
        }

        int segmentBytes() {
            return config.segmentBytes();
        }

        /** What is played where the call leaves it open. */
        ScheduleChoice choice() {
            return exchange.choice();
        }

        MemorySegment work() {
            return call.work().bytes();
        }

        /** Plays a schedule from the call's input to its result. */
        Optional<Refusal> play(Schedule schedule, Exchange.Order order) throws IOException {
            return exchange.play(schedule, order, Exchange.Region.of(call.input()), Exchange.Region.of(work()));
        }

        /** Plays a schedule whose positions are ranks though most calls go by hops. */
        Optional<Refusal> playByRank(Schedule schedule, Exchange.Region input, Exchange.Region buffer)
                throws IOException {
            Optional<Refusal> refusal = noted(input, buffer);
            return refusal.isPresent() ? refusal : exchange.play(schedule, mesh.byRank(), input, buffer);
        }

        /** What comes before a schedule by ranks that does not begin with a segment to each other one. */
        Optional<Refusal> noted(Exchange.Region input, Exchange.Region buffer) throws IOException {
            return mesh.hopsAreRanks()
                    ? Optional.empty()
                    : exchange.play(new RingNote(hop(), world()), mesh.byHop(), input, buffer);
        }

        /** The same, and returns only when all hold what is theirs. */
        Optional<Refusal> playHeld(Schedule schedule, Exchange.Region input, Exchange.Region buffer)
                throws IOException {
            Optional<Refusal> refusal = playByRank(schedule, input, buffer);
            return refusal.isPresent() ? refusal : held();
        }

        /** Each rank's row, {@code bytesEach} long, to all ranks; {@code table} has the own one in its place. */
        Optional<Refusal> gatherRows(MemorySegment table, long bytesEach) throws IOException {
            List<Long> lengths = Collections.nCopies(world(), bytesEach);
            var schedule = new DirectAllGather(mesh.rank(), Blocks.strided(lengths, bytesEach), segmentBytes());
            var rows = Exchange.Region.of(table.asSlice(0, bytesEach * world()));
            return exchange.play(schedule, mesh.byRank(), rows, rows);
        }

        /** Returns when all hold what is theirs. */
        Optional<Refusal> held() throws IOException {
            return play(new HeldRound(mesh.rank(), world()), mesh.byRank());
        }
    }

    /**
     * Says before the call begins what would otherwise fail in the middle of it, on this rank alone.
     *
     * @throws IllegalStateException something is one too many
     */
    default void demandRoom() {}

    /**
     * Runs one attempt on the calling thread.
     *
     * @return the refusal with which the number ended on all ranks, if it did
     * @throws IOException a stream is broken or the mesh abandoned
     */
    Optional<Refusal> attempt(Place place) throws IOException;

    /**
     * Copies what this rank gets of the result to where the application wants it.
     *
     * @param ran mesh of the last attempt
     */
    default void deliver(Call call, Mesh ran) {
        MemorySegment.copy(
                call.work().bytes(),
                0,
                call.memory().target(),
                0,
                call.signature().bytes());
    }

    /** What {@link #deliver} mostly does, for those who look where the time goes. */
    default Phase delivery() {
        return Phase.COPY;
    }

    /**
     * Memory for a call of {@code signature}; given back by {@link Caller}. Input that not all threads may use is copied.
     *
     * @param input the application's, not touched by others before the call ends
     * @param target where the application wants the result
     */
    default Call.Memory memory(Signature signature, MemorySegment input, MemorySegment target, GroupShell shell) {
        Buffers buffers = shell.buffers();
        Buffers.Buffer work = buffers.take(workBytes(signature, target));
        if (input.isNative() && shell.mayTouch(input)) {
            return new Call.Memory(input, null, work, target);
        }
        try {
            Buffers.Buffer copy = buffers.take(input.byteSize());
            MemorySegment.copy(input, 0, copy.bytes(), 0, input.byteSize());
            return new Call.Memory(copy.bytes(), copy, work, target);
        } catch (RuntimeException | Error none) { // such as no more memory
            buffers.give(work);
            throw none;
        }
    }

    /** Bytes of the memory in which the result comes into being, for one that goes to {@code target}; 0 where it needs none. */
    default long workBytes(Signature signature, MemorySegment target) {
        return signature.bytes();
    }

    /** Elements of the application's buffer. */
    record Part(long first, long count) {}

    /** Which elements this rank got. */
    default Part part(Call call, int contributors) {
        return new Part(0, call.signature().count());
    }

    /** Ranks without which this rank does not run the call, nor the one after it if this is the group's start. */
    default int leastRanks() {
        return 1;
    }

    /** This member was out of its group and comes back with this call. */
    default void cameBack() {}

    /** The call ends without a result: what attempts overwrote of its input comes back. Nobody plays it any more. */
    default void restore() {}

    /** The number is done: keep what the next call needs to know of it. */
    default void commit() {}

    /** The number runs again or ended without a result. */
    default void rollBack() {}

    /** Payload bytes that this rank would send on a ring for this uncompressed; 0 for what carries no gradients. */
    default long denseBytes(Signature signature, Mesh mesh, int segmentBytes) {
        return new RingAllReduce(
                        mesh.byHop().position(mesh.rank()),
                        mesh.world(),
                        signature.count(),
                        signature.type().bytes(),
                        segmentBytes)
                .bytesSent();
    }
}
