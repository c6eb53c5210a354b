package io.hearth.collective.call;

import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.ScheduleChoice;
import io.hearth.collective.exchange.Exchange;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.RankOrder;
import io.hearth.collective.exchange.Region;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.schedule.Blocks;
import io.hearth.collective.schedule.CompletionBarrier;
import io.hearth.collective.schedule.DirectAllGather;
import io.hearth.collective.schedule.RingNote;
import io.hearth.collective.schedule.Schedule;
import io.hearth.collective.schedule.Shares;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** One attempt of a {@link CollectiveOperation}: its call, its mesh, and methods to play a schedule. */
public record OperationContext(Exchange exchange, Mesh mesh, CollectiveConfig config, Call call) {
    public int world() {
        return mesh.world();
    }

    /** This rank's position in hop order. */
    public int hop() {
        return mesh.byHop().position(mesh.rank());
    }

    public int segmentBytes() {
        return config.segmentBytes();
    }

    /** Chooses the schedules of calls with {@code AUTO}. */
    public ScheduleChoice choice() {
        return exchange.choice();
    }

    public MemorySegment work() {
        return call.work().bytes();
    }

    /** Plays a schedule from the call's input to its result. */
    public Optional<CallRejection> play(Schedule schedule, RankOrder order) throws IOException {
        return exchange.play(schedule, order, Region.of(call.input()), Region.of(work()));
    }

    /** Plays a schedule among all pairs of ranks. If a rank owns no share, notes precede it. */
    public Optional<CallRejection> playByOwners(Schedule schedule, Shares shares) throws IOException {
        return shares.allOwn()
                ? play(schedule, mesh.byRank())
                : playByRank(schedule, Region.of(call.input()), Region.of(work()));
    }

    /** Plays a schedule whose positions are ranks, although most calls use hop order. */
    public Optional<CallRejection> playByRank(Schedule schedule, Region input, Region buffer) throws IOException {
        Optional<CallRejection> refusal = noted(input, buffer);
        return refusal.isPresent() ? refusal : exchange.play(schedule, mesh.byRank(), input, buffer);
    }

    /** Plays the notes that must precede a schedule by ranks, unless it begins with a segment to each other rank. */
    public Optional<CallRejection> noted(Region input, Region buffer) throws IOException {
        return mesh.hopsAreRanks()
                ? Optional.empty()
                : exchange.play(new RingNote(hop(), world()), mesh.byHop(), input, buffer);
    }

    /** As {@link #playByRank}, and returns only when all ranks hold their part. */
    public Optional<CallRejection> playHeld(Schedule schedule, Region input, Region buffer) throws IOException {
        Optional<CallRejection> refusal = playByRank(schedule, input, buffer);
        return refusal.isPresent() ? refusal : held();
    }

    /** Sends each rank's row of {@code bytesEach} bytes to all ranks; {@code table} has this rank's row at its place. */
    public Optional<CallRejection> gatherRows(MemorySegment table, long bytesEach) throws IOException {
        List<Long> lengths = Collections.nCopies(world(), bytesEach);
        var schedule = new DirectAllGather(mesh.rank(), Blocks.strided(lengths, bytesEach), segmentBytes());
        var rows = Region.of(table.asSlice(0, bytesEach * world()));
        return exchange.play(schedule, mesh.byRank(), rows, rows);
    }

    /** Returns when all ranks hold their part. */
    public Optional<CallRejection> held() throws IOException {
        return play(new CompletionBarrier(mesh.rank(), world()), mesh.byRank());
    }
}
