package io.hearth.accel.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.Trial;
import io.hearth.accel.metal.FakeMetal;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLimits;
import io.hearth.accel.select.Engines;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Makes mistakes in the kernels and in the code that sends them; the trials of the contract or the rules of the stand-in must find each.
 */
final class MetalMutationTest {
    private static final int COUNT = MetalTrial.COUNT;
    private static final int LINE_MAX = 90;
    private static final Map<Mutation, String> TABLE = new EnumMap<>(Mutation.class);
    private static final Map<String, String> LINES =
            new TreeMap<>(); // of other mistakes than those of the kernels' text

    private static final MetalLimits LIMITS = MetalTrial.LIMITS;

    /** Mistakes of different kinds that are found soon; the full ring makes all of them. */
    private static final String FAST = "GUARD_OFF_BY_ONE|PLAIN_SUM|LEVEL_CUT_OFF";

    private static final String FAST_IN_JAVA = "THREADS_FOR_GROUPS|LIBRARY_NOT_RELEASED";

    private static final String MIRRORED = """
        uint i [[thread_position_in_grid]],
                uint lane [[thread_position_in_threadgroup]],
                uint threads [[threads_per_threadgroup]]) {
            threadgroup uint shared[1024];
            uint mirror = threads - 1 - lane;
            uint from = i - lane + mirror;
            shared[mirror] = from < job.count ? hearth::Int32::combine(job.op, a[from], b[from]) : 0;
            %s
            if (i < job.count) {
                target[i] = shared[lane];
            }
        }
        """;
    private static final String PLAIN = """
        uint i [[thread_position_in_grid]]) {
            hearth::combine_element<hearth::Int32, uint>(target, a, b, job, i);
        }
        """;

    /** Change one place of the kernel text. */
    enum Mutation {
        FORGOTTEN_GUARD("if (i >= job.count) {\n        return;\n    }\n    target[i] = Type", "target[i] = Type"),
        GUARD_OFF_BY_ONE("if (i >= job.count)", "if (i > job.count)"),
        LAST_ELEMENT_LEFT_OUT("if (i >= job.count)", "if (i + 1 >= job.count)"),
        PLACE_IN_GROUP_FOR_PLACE_IN_GRID("thread_position_in_grid", "thread_position_in_threadgroup"),
        WRONG_ARGUMENT_INDEX("b [[buffer(2)]]", "b [[buffer(7)]]"),
        ADDRESS_SPACE_LEFT_OUT("device const uint* b", "const uint* b"),
        PLAIN_SUM("if ((a & MAGNITUDE) < SMALL && (b & MAGNITUDE) < SMALL)", "if (false)"),
        LIFT_FROM_TOO_LOW("SMALL = 0x0d800000u", "SMALL = 0x00800000u"),
        LIFT_FROM_A_LITTLE_TOO_LOW("SMALL = 0x0d800000u", "SMALL = 0x02000000u"),
        SIGN_OF_A_SMALL_SUM_LOST("(bits & SIGN) | uint(", "uint("),
        PLAIN_PRODUCT("ea + eb >= 130", "ea + eb >= 90"),
        INFINITY_TIMES_ZERO("|| (a & MAGNITUDE) == 0 || (b & MAGNITUDE) == 0", ""),
        TIES_AWAY_FROM_ZERO("(below == half_way && (kept & 1u) != 0)", "below == half_way"),
        ROUNDING_LEFT_OUT("kept += below > half_way || (below == half_way && (kept & 1u) != 0) ? 1u : 0u;", ""),
        SUBNORMALS_ONE_PLACE_OFF("value << uint(-drop)", "value << uint(1 - drop)"),
        PLAIN_QUOTIENT("exponent_of(magnitude) > 7", "exponent_of(magnitude) > 6"),
        UNSIGNED_COMPARISON("int(a) < int(b)", "a < b"),
        RANK_OF_NEGATIVES("word ^ ((word >> 31) & int(MAGNITUDE))", "word"),
        NAN_LOST_BY_MIN_AND_MAX("if (is_nan(a) || is_nan(b)) {\n        return NOT_A_NUMBER;\n    }\n    bool", "bool"),
        MIN_FOR_MAX("less == (op == MIN)", "less == (op == MAX)"),
        BFLOAT16_CUT_OFF("(bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16", "bits >> 16"),
        FLOAT16_TIES_UP("0x0fffu + ((magnitude >> 13) & 1u)", "0x1000u"),
        FLOAT16_SUBNORMALS_LOST("if (drop > 24)", "if (drop > 13)"),
        FLOAT16_INFINITY_TOO_EARLY("0x47800000u", "0x47000000u"),
        WRONG_KERNEL("combine_element<hearth::Bfloat16, ushort>", "combine_element<hearth::Float16, ushort>"),
        MISSING_BARRIER(PLAIN, MIRRORED.formatted("")),
        BARRIER_OF_A_BLOCKS_MAXIMUM_MISSING("= most;\n    threadgroup_barrier(mem_flags::mem_threadgroup);", "= most;"),
        BARRIER_OF_A_MASK_MISSING(": 0u;\n    threadgroup_barrier(mem_flags::mem_threadgroup);", ": 0u;"),
        BARRIER_WITHOUT_A_FENCE("mem_flags::mem_threadgroup", "mem_flags::mem_none"),
        ARRAY_OF_A_GROUP_TOO_SHORT("threadgroup uint largest[32]", "threadgroup uint largest[16]"),
        ARRAY_OF_A_GROUP_ONE_TOO_SHORT("threadgroup uint found[32]", "threadgroup uint found[31]"),
        LANES_OF_A_BLOCK_LEFT_OUT("k < hearth::LANES; k++", "k + 1 < hearth::LANES; k++"),
        MAXIMUM_OF_HALF_A_BLOCK(
                "for (uint i = 0; i < hearth::LANES; i++)", "for (uint i = 0; i < hearth::LANES / 2; i++)"),
        SCALE_NOT_ROUNDED_UP("back < largest ? scale + 1 : scale", "scale"),
        SCALE_BEYOND_ITS_BOUND("back < largest ? scale + 1 : scale, scale_max", "scale + 1, INFINITE"),
        SMALL_QUOTIENTS_FLUSHED("if (scale < SMALL)", "if (false)"),
        SMALL_QUOTIENTS_OF_NORMAL_SCALES_FLUSHED("if (scale < SMALL)", "if (scale < HIDDEN)"),
        BLOCK_OF_ZEROS_DIVIDED("if (scale == 0) {\n        return 0.0f;\n    }", ""),
        LEVEL_CUT_OFF("return int(rounded - as_type<float>(ROUNDER));", "return int(quotient);"),
        LEVELS_UNSIGNED("level > 127 ? level - 256 : level", "level"),
        ERROR_BY_PLAIN_ARITHMETIC(
                "hearth::sum_of(value, hearth::level_times_scale(level, scale) ^ hearth::SIGN)",
                "as_type<uint>(as_type<float>(value) - as_type<float>(hearth::level_times_scale(level, scale)))"),
        ERROR_WITH_THE_WRONG_SIGN("level_times_scale(level, scale) ^ hearth::SIGN", "level_times_scale(level, scale)"),
        PRODUCT_BY_PLAIN_ARITHMETIC(
                "return product_of(as_type<uint>(float(level)), scale);",
                "return as_type<uint>(float(level) * as_type<float>(scale));"),
        DRAWS_BY_PLACE_IN_THE_TENSOR("draw_of(seed, i)", "draw_of(seed, start + i)"),
        ONE_SEED_FOR_ALL_BLOCKS(" + ulong(block);", ";"),
        UPPER_HALF_OF_THE_SEED_LOST("(ulong(job.seed_high) << 32) | ", ""),
        UPPER_HALF_OF_THE_BLOCKS_NUMBER_LOST("(ulong(job.first_block_high) << 32) | ", ""),
        DRAWS_WITH_THE_WRONG_SIGN("quotient + hearth::draw_of", "quotient - hearth::draw_of"),
        LAST_BLOCK_TAKEN_FOR_A_WHOLE_ONE("min(job.block, job.count - start)", "job.block"),
        NOT_FINITE_AND_NOT_TOLD("most >= hearth::INFINITE ? 1 : 0", "0"),
        BYTES_OF_A_SCALE_SWAPPED("uint(place[1]) << 8", "uint(place[2]) << 8"),
        SCALE_OF_THE_NEXT_BLOCK("uint block = i / job.block;", "uint block = (i + 1) / job.block;"),
        SUM_FORGOTTEN("job.adds != 0 ? hearth::sum_of(values[i], product)", "job.adds != 0 ? product"),
        GUARD_OF_AN_ADDITION_FORGOTTEN(
                "device const uchar* body [[buffer(2)]],\n        constant hearth::AddJob& job [[buffer(4)]],"
                        + "\n        uint i [[thread_position_in_grid]]) {\n    if (i >= job.count) {",
                "device const uchar* body [[buffer(2)]],\n        constant hearth::AddJob& job [[buffer(4)]],"
                        + "\n        uint i [[thread_position_in_grid]]) {\n    if (false) {"),
        GUARD_OF_A_MASK_FORGOTTEN("i < job.count && ", ""),
        MASK_REVERSED("1u << lane", "1u << (31u - lane)"),
        BARRIER_OF_A_RUNS_LARGEST_MISSING(
                "found[lane] = most;\n    threadgroup_barrier(mem_flags::mem_threadgroup);", "found[lane] = most;"),
        LARGEST_OF_A_LANE_LEFT_OUT(
                "for (uint k = 0; k < hearth::LANES; k++) {\n            most",
                "for (uint k = 0; k + 1 < hearth::LANES; k++) {\n            most"),
        GUARD_OF_A_RUN_FORGOTTEN("min(hearth::HISTOGRAM_RUN, job.count - start)", "hearth::HISTOGRAM_RUN"),
        RUN_OF_ANOTHER_LENGTH("constant uint HISTOGRAM_RUN = 32 * LANES;", "constant uint HISTOGRAM_RUN = 16 * LANES;"),
        COUNTED_WITHOUT_BEING_ATOMIC(
                "atomic_fetch_add_explicit(&counts[bucket], 1u, memory_order_relaxed);", "counts[bucket]++;"),
        THE_LEAST_NOT_COUNTED("if (magnitude >= job.low)", "if (magnitude > job.low)"),
        BUCKETS_FROM_ZERO_ON("(magnitude - job.low) >> job.shift", "min(magnitude >> job.shift, job.buckets)"),
        BUCKETS_OF_ONE_VALUE(
                "(magnitude - job.low) >> job.shift", "min((magnitude - job.low) >> (job.shift & 3u), job.buckets)"),
        BEYOND_TOO_LATE("magnitude >= job.high ?", "magnitude > job.high ?"),
        SIGN_TAKEN_FOR_A_LARGE_MAGNITUDE(
                "values[start + i] & hearth::MAGNITUDE;\n        if", "values[start + i];\n        if"),
        SIGN_TAKEN_FOR_MAGNITUDE("(values[i] & hearth::MAGNITUDE) >= job.least", "values[i] >= job.least");

        private final String from;
        private final String to;

        Mutation(String from, String to) {
            this.from = from;
            this.to = to;
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = FAST)
    void isFoundInTheFastRing(Mutation mutation) {
        isFound(mutation);
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = FAST)
    void isFound(Mutation mutation) {
        FakeMetal fake = FakeMetal.get();
        fake.set("flush", 1);
        try (MetalEngine engine = fake.open(LIMITS, mutation.from, mutation.to)) {
            Optional<String> problem = problem(fake, engine);
            TABLE.put(mutation, problem.map(MetalMutationTest::firstLine).orElse("NOT FOUND"));
            assertFalse(problem.isEmpty(), "not found");
        }
    }

    /** Products that are added to a sum: right alone, and wrong where a compiler fuses the two. */
    enum Fusible {
        SUM(
                "hearth::sum_of(values[i], product)",
                "as_type<uint>(as_type<float>(values[i]) + float(level) * as_type<float>(scale))"),
        ERROR(
                "hearth::sum_of(value, hearth::level_times_scale(level, scale) ^ hearth::SIGN)",
                "as_type<uint>(as_type<float>(value) - float(level) * as_type<float>(scale))");

        private final String from;
        private final String to;

        Fusible(String from, String to) {
            this.from = from;
            this.to = to;
        }
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void aFusedProductIsFound(Fusible fusible) {
        FakeMetal fake = FakeMetal.get();
        try (MetalEngine engine = fake.open(LIMITS, fusible.from, fusible.to)) {
            assertEquals(Optional.empty(), problem(fake, engine), "not fused");
        }
        fake.set("contract", 1);
        try (MetalEngine engine = fake.open(LIMITS, fusible.from, fusible.to)) {
            Optional<String> problem = problem(fake, engine);
            LINES.put(
                    "CONTRACTION_OF_A_" + fusible,
                    problem.map(MetalMutationTest::firstLine).orElse("NOT FOUND"));
            assertFalse(problem.isEmpty(), "not found");
        }
    }

    /** One mistake in the Java code, which is compiled with it and runs beside the right one. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = FAST_IN_JAVA)
    void aMistakeInJavaIsFoundInTheFastRing(JavaMutation mutation) throws Exception {
        aMistakeInJavaIsFound(mutation);
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = FAST_IN_JAVA)
    void aMistakeInJavaIsFound(JavaMutation mutation) throws Exception {
        FakeMetal fake = FakeMetal.get();
        long live = fake.get("live");
        String said = mutation.trial().apply(fake.libraries().runtime());
        String broken = fake.violations();
        String problem = !broken.isEmpty()
                ? broken
                : !said.isEmpty() || fake.get("live") == live
                        ? said
                        : fake.get("live") - live + " objects were not released";
        LINES.put("JAVA_" + mutation, problem.isEmpty() ? "NOT FOUND" : firstLine(problem));
        assertFalse(problem.isEmpty(), "not found");
    }

    @Test
    void theJavaCodeAsItIsHasNoProblem() throws Exception {
        FakeMetal fake = FakeMetal.get();
        fake.set("flush", 1);
        long live = fake.get("live");
        assertEquals("", JavaMutation.unchanged().apply(fake.libraries().runtime()));
        fake.assertObeyed();
        assertEquals(live, fake.get("live"));
    }

    private static String firstLine(String text) {
        String line = text.lines().findFirst().orElse("");
        return line.length() > LINE_MAX ? line.substring(0, LINE_MAX) + "…" : line;
    }

    /** Writes the table that {@code native/mutations} shows. */
    @AfterAll
    static void writeTable() throws IOException {
        var lines = new ArrayList<String>();
        TABLE.forEach((mutation, problem) -> lines.add(String.format("%-48s %s", mutation, problem)));
        LINES.forEach((mistake, problem) -> lines.add(String.format("%-48s %s", mistake, problem)));
        Files.write(Path.of("target", "metal-mutations.txt"), lines);
    }

    @Tag("full")
    @ParameterizedTest
    @ValueSource(strings = {"none", "flush", "backward", "contract"})
    void theKernelsAsTheyAreHaveNoProblem(String manner) {
        FakeMetal fake = FakeMetal.get();
        fake.set(manner, 1);
        try (MetalEngine engine = MetalEngine.open(fake.libraries(), LIMITS)) {
            assertEquals(Optional.empty(), problem(fake, engine));
        }
    }

    @Test
    void aBarrierInItsPlaceIsNoProblem() {
        FakeMetal fake = FakeMetal.get();
        String barrier = "threadgroup_barrier(mem_flags::mem_threadgroup);";
        try (MetalEngine engine = fake.open(LIMITS, PLAIN, MIRRORED.formatted(barrier))) {
            var trial = new Trial(
                    new MetalReducer(
                            engine, Engines.newReducer(Engine.PORTABLE), EngineChoice.from(Engine.PORTABLE, 0)),
                    new SplittableRandom(3),
                    DataType.INT32);
            trial.combine(ReduceOp.PROD, Trial.Left.APART, Trial.Right.NATIVE, 3 * COUNT, 4);
            fake.assertObeyed();
        }
    }

    @Test
    void aBarrierThatNotAllThreadsReachIsAProblem() {
        FakeMetal fake = FakeMetal.get();
        String barrier = "if (lane < 7) threadgroup_barrier(mem_flags::mem_threadgroup);";
        try (MetalEngine engine = fake.open(LIMITS, PLAIN, MIRRORED.formatted(barrier))) {
            assertFalse(problem(fake, engine).isEmpty(), "not found");
        }
    }

    /** The problem of an engine on the stand-in: it does not open, gives other bits, or breaks a rule. */
    private static Optional<String> problem(FakeMetal fake, MetalEngine engine) {
        return MetalTrial.problem(engine)
                .or(() -> Optional.of(fake.violations()).filter(text -> !text.isEmpty()));
    }
}
