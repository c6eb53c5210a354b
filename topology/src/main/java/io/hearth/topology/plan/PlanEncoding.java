package io.hearth.topology.plan;

import io.hearth.core.MalformedMessageException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Converts {@link Plan}s to bytes and back. Each plan has one form, so equal plans have equal bytes.
 *
 * <pre>
 * | version 1: 1 byte | which lists follow: 1 byte, bit 0 order, 1 weights, 2 islands, 3 leader weights | world - 1: 1 byte if bits 0 to 2 |
 * | order: world bytes | weights: world times 2 bytes | islands: world bytes | leader weights: leaders times 2 bytes |
 * | ring, direct, islands, pair: alphaNanos 8 bytes, picosPerByte 8 bytes each |                                  all numbers big-endian
 * </pre>
 */
public final class PlanEncoding {
    /** Most ranks of a plan that travels. */
    public static final int WORLD_MAX = 256;

    /** Most bytes of a plan. */
    public static final int BYTES_MAX = 3 + 6 * WORLD_MAX + 64;

    private static final int VERSION = 1;
    private static final int ROUTES_BYTES = 64;
    private static final int ORDER = 1;
    private static final int WEIGHTS = 2;
    private static final int ISLANDS = 4;
    private static final int LEADER_WEIGHTS = 8;

    private PlanEncoding() {}

    /**
     * The wire form, at most {@value #BYTES_MAX} bytes.
     *
     * @throws IllegalArgumentException if the plan has more than {@value #WORLD_MAX} ranks
     */
    public static byte[] encode(Plan plan) {
        int world = plan.world().orElse(0);
        if (world > WORLD_MAX) {
            throw new IllegalArgumentException("a plan that travels has at most " + WORLD_MAX + " ranks, got " + world);
        }
        int lists = bit(plan.order(), ORDER)
                | bit(plan.weights(), WEIGHTS)
                | bit(plan.islands(), ISLANDS)
                | bit(plan.leaderWeights(), LEADER_WEIGHTS);
        int bytes = plan.order().size()
                + 2 * plan.weights().size()
                + plan.islands().size()
                + 2 * plan.leaderWeights().size();
        ByteBuffer out = ByteBuffer.allocate(2 + (world > 0 ? 1 : 0) + bytes + ROUTES_BYTES);
        out.put((byte) VERSION).put((byte) lists);
        if (world > 0) {
            out.put((byte) (world - 1));
        }
        plan.order().forEach(rank -> out.put(rank.byteValue()));
        plan.weights().forEach(weight -> out.putShort(weight.shortValue()));
        plan.islands().forEach(leader -> out.put(leader.byteValue()));
        plan.leaderWeights().forEach(weight -> out.putShort(weight.shortValue()));
        PlanCosts costs = plan.costs();
        Stream.of(costs.ring(), costs.direct(), costs.islands(), costs.pair())
                .forEach(route -> out.putLong(route.alphaNanos()).putLong(route.picosPerByte()));
        return out.array();
    }

    private static int bit(List<Integer> list, int bit) {
        return list.isEmpty() ? 0 : bit;
    }

    /**
     * Reads the wire form.
     *
     * @throws MalformedMessageException if the bytes are no plan
     */
    public static Plan decode(byte[] bytes) throws MalformedMessageException {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            int version = in.get();
            int lists = Byte.toUnsignedInt(in.get());
            if (version != VERSION || lists > 15) {
                throw new MalformedMessageException(
                        "a plan needs version " + VERSION + " and lists of 0 to 15, got " + version + " and " + lists);
            }
            int world = (lists & (ORDER | WEIGHTS | ISLANDS)) == 0 ? 0 : 1 + Byte.toUnsignedInt(in.get());
            List<Integer> order = bytes(in, (lists & ORDER) == 0 ? 0 : world);
            List<Integer> weights = shorts(in, (lists & WEIGHTS) == 0 ? 0 : world);
            List<Integer> islands = bytes(in, (lists & ISLANDS) == 0 ? 0 : world);
            int leaders = (lists & LEADER_WEIGHTS) == 0
                    ? 0
                    : (int) islands.stream().distinct().count();
            if ((lists & LEADER_WEIGHTS) != 0 && leaders == 0) {
                throw new MalformedMessageException("a plan has leader weights without islands");
            }
            var plan = new Plan(
                    order,
                    weights,
                    islands,
                    shorts(in, leaders),
                    new PlanCosts(route(in), route(in), route(in), route(in)));
            if (in.hasRemaining()) {
                throw new MalformedMessageException("a plan has " + in.remaining() + " bytes too many");
            }
            return plan;
        } catch (IllegalArgumentException | BufferUnderflowException invalid) {
            throw new MalformedMessageException("not a plan: " + invalid.getMessage(), invalid);
        }
    }

    private static List<Integer> bytes(ByteBuffer in, int count) {
        return IntStream.range(0, count)
                .mapToObj(_ -> Byte.toUnsignedInt(in.get()))
                .toList();
    }

    private static List<Integer> shorts(ByteBuffer in, int count) {
        return IntStream.range(0, count)
                .mapToObj(_ -> Short.toUnsignedInt(in.getShort()))
                .toList();
    }

    private static Route route(ByteBuffer in) {
        return new Route(in.getLong(), in.getLong());
    }
}
