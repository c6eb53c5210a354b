package io.hearth.collective.schedule;

import io.hearth.collective.schedule.Transfer.Action;
import java.util.Arrays;

/**
 * All-reduce for islands: fast links inside, slow ones between. Each leader adds what its island has, the leaders sum among themselves as in
 * {@link DirectAllReduce}, and each leader gives the result to its island. So each byte crosses between two islands once for each leader and
 * not once for each member. It takes four hops, two of them between islands.
 *
 * <p>Leaders own shares of the buffer. All shares have the same number of segments ({@link Slices}), and round t moves segment t of all
 * shares, in four stages:
 * <pre>
 *   0  up      members send all shares to their leader
 *   1  across  leaders send their island's sum of each share to its owner
 *   2  back    owners send their results to the other leaders
 *   3  down    leaders send all results to their members
 * </pre>
 * A stage follows the one before it {@value #LAG} rounds later ({@link Stages}). So contributions and results travel between leaders at the
 * same time, in both directions, and a round may be on its way for some rounds before anyone waits for it.
 *
 * <p>Each adder begins with its own contribution. A leader takes itself, then its members in rising order. The owner of a share takes its
 * own island's sum, then the sums of the islands after it, in rising order of leaders and around. The order depends on islands and shares,
 * never on arrival. It needs no memory but the result's: the owner's own sum stands there before another leader's is added to it. In any
 * other order of leaders, a sum of theirs would need a second place. It also lets {@code input} and {@code buffer} be the same memory: a
 * leader reads each of its values before it overwrites it, and a member gets a result only after it sent its value. So a received segment
 * is added to the buffer, or to the input where the buffer has no part of it yet.
 *
 * <p>No member waits forever, because all members follow one order of all segments: by group of {@link Stages}, then by stage, then by
 * distance between leaders, or by share and member inside an island. Each member's sends are in that order, and so are its receives. The
 * receives that a send depends on are in earlier groups. Proof: of all segments that are not received, take the first one. All before it
 * were received. So its sender has nothing else to send and nothing to wait for, its stream is empty, and its receiver has nothing else to
 * receive.
 *
 * <p>A leader without a share receives no contributions from other leaders. If the whole buffer is empty, all leaders are owners, and empty
 * segments travel. Begins with a note to the next position (see {@link Schedule}), which some leader waits for: one more hop for a small
 * buffer.
 *
 * <p>Kielmann and others, "MagPIe: MPI's collective communication operations for clustered wide area systems", 1999.
 */
public final class IslandAllReduce implements Schedule {
    /**
     * Rounds from one stage to the next. A round of two leaders carries four segments of 128 KiB at most, two in each direction. So eight
     * cover 20 ms of latency at 800 Mbit/s, and 170 ms at 100 Mbit/s. More would only need more cache.
     */
    static final int LAG = 8;

    private static final int UP = 0;
    private static final int ACROSS = 1;
    private static final int BACK = 2;

    private final int position;
    private final int world;
    private final Slices slices;
    /** Positions of leaders, in rising order; the index is a leader's number. */
    private final int[] leaders;
    /** Number of this island's leader. */
    private final int number;
    /** Positions of this island without its leader. */
    private final int[] members;
    /** Numbers of the other owners, from the one before this island's leader down and around. */
    private final int[] owners;

    private final Stages sends;
    private final Stages receives;

    /**
     * The part of one position.
     *
     * @param position 0 to islands.world() - 1
     * @param islands the same for all positions; with one position there is nothing to do
     * @param shares one for each leader, in rising order of leaders; the same for all positions
     * @param elementBytes size of an element
     * @param segmentBytes most bytes of a segment, a multiple of 8
     */
    public IslandAllReduce(int position, Islands islands, Shares shares, int elementBytes, int segmentBytes) {
        Segments.check(position, islands.world(), shares.total(), elementBytes, segmentBytes);
        this.position = position;
        this.world = islands.world();
        this.leaders = islands.leading();
        if (shares.world() != leaders.length) {
            throw new IllegalArgumentException(
                    "need a share for each of " + leaders.length + " leaders, got " + shares.world());
        }
        this.slices = Slices.of(shares, elementBytes, segmentBytes);
        this.number = Arrays.binarySearch(leaders, islands.leader(position));
        this.members = islands.led(leaders[number]);
        this.owners = owners();
        int up = slots() * members.length;
        int served = slices.isOwner(number) ? leaders.length - 1 : 0;
        this.sends = isLeader() ? stages(0, owners.length, served, up) : stages(slots(), 0, 0, 0);
        this.receives = isLeader() ? stages(up, served, owners.length, 0) : stages(0, 0, 0, slots());
    }

    private Stages stages(int... entries) {
        return new Stages(slices.segments(), LAG, entries);
    }

    private int[] owners() {
        int[] found = new int[leaders.length];
        int count = 0;
        for (int distance = 1; distance < leaders.length; distance++) {
            int owner = Segments.around(number, -distance, leaders.length);
            if (slices.isOwner(owner)) {
                found[count++] = owner;
            }
        }
        return Arrays.copyOf(found, count);
    }

    private boolean isLeader() {
        return leaders[number] == position;
    }

    /** Number of shares whose segments travel inside an island: those of the other owners, then that of its own leader. */
    private int slots() {
        return owners.length + (slices.isOwner(number) ? 1 : 0);
    }

    @Override
    public long sends() {
        return world == 1 ? 0 : 1 + sends.total();
    }

    @Override
    public long receives() {
        return world == 1 ? 0 : 1 + receives.total();
    }

    @Override
    public void send(long index, Transfer into) {
        if (index == 0) {
            Segments.sendNote(into, Segments.around(position, 1, world), 0);
            return;
        }
        long group = sends.group(index - 1);
        long item = index - 1 - sends.before(group);
        int stage = 0;
        while (item >= sends.entries(stage, group)) {
            item -= sends.entries(stage++, group);
        }
        send(stage, sends.round(stage, group), (int) item, into);
    }

    private void send(int stage, long round, int item, Transfer into) {
        switch (stage) {
            case UP -> cut(into, leaders[number], slot(item), round).sent(true, 0);
            case ACROSS ->
                cut(into, leaders[owners[item]], owners[item], round).sent(isAlone(), islandSum(round, item));
            case BACK -> cut(into, after(item), number, round).sent(false, ownResult(round));
            default -> {
                int slot = item / members.length;
                long after = slot < owners.length ? 1 + receives.before(BACK, round, slot + 1L) : ownResult(round);
                cut(into, members[item % members.length], slot(slot), round).sent(false, after);
            }
        }
    }

    @Override
    public void receive(long index, Transfer into) {
        if (index == 0) {
            Segments.receiveNote(into, Segments.around(position, -1, world));
            return;
        }
        long group = receives.group(index - 1);
        long item = index - 1 - receives.before(group);
        int stage = 0;
        while (item >= receives.entries(stage, group)) {
            item -= receives.entries(stage++, group);
        }
        receive(stage, receives.round(stage, group), (int) item, into);
    }

    private void receive(int stage, long round, int item, Transfer into) {
        switch (stage) {
            case UP -> {
                int member = item % members.length;
                boolean isLast = leaders.length == 1 && member == members.length - 1;
                cut(into, members[member], slot(item / members.length), round).received(add(member == 0), isLast);
            }
            case ACROSS ->
                cut(into, after(item), number, round).received(add(isAlone() && item == 0), item == leaders.length - 2);
            case BACK -> cut(into, leaders[owners[item]], owners[item], round).received(Action.COPY, false);
            default -> cut(into, leaders[number], slot(item), round).received(Action.COPY, false);
        }
    }

    private static Action add(boolean isFirst) {
        return isFirst ? Action.COMBINE_WITH_INPUT : Action.COMBINE;
    }

    /** Whether this leader has no members, so that its input is the sum of its island. */
    private boolean isAlone() {
        return members.length == 0;
    }

    /** Number of the owner whose share has that place inside the island. */
    private int slot(int place) {
        return place < owners.length ? owners[place] : number;
    }

    /** Position of the {@code item}-th leader after this one. */
    private int after(int item) {
        return leaders[Segments.around(number, item + 1, leaders.length)];
    }

    /** Number of receives until this leader has its island's sum of the share at {@code place}. */
    private long islandSum(long round, int place) {
        return isAlone() ? 0 : 1 + receives.before(UP, round, (place + 1L) * members.length);
    }

    /** Number of receives until this owner has the result of its own share. */
    private long ownResult(long round) {
        return leaders.length == 1
                ? islandSum(round, owners.length)
                : 1 + receives.before(ACROSS, round, leaders.length - 1L);
    }

    @Override
    public long bytesSent() {
        long bytes = slices.bytes();
        long across = bytes - slices.bytes(number);
        long back = slices.bytes(number) * (leaders.length - 1);
        return isLeader() ? across + back + members.length * bytes : bytes;
    }

    /** Members and their leader exchange the whole buffer; two leaders exchange their shares. */
    @Override
    public long bytesToOneMax() {
        if (leaders.length < world) {
            return slices.bytes();
        }
        return world == 1 ? 0 : slices.bytesOfTwo();
    }

    private Transfer cut(Transfer into, int peer, int owner, long round) {
        return slices.cut(into, peer, leaders[owner], owner, round);
    }
}
