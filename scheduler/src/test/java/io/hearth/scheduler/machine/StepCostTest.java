package io.hearth.scheduler.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.hearth.core.Step;
import io.hearth.scheduler.NodeRole;
import io.hearth.scheduler.Progress;
import io.hearth.scheduler.Samples;
import io.hearth.scheduler.SchedulerSettings;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What an event costs, in bytes that its step allocates: what it does not change costs nothing. */
@Timeout(60)
final class StepCostTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final SchedulerMachine MACHINE = new SchedulerMachine(SchedulerSettings.DEFAULT);
    private static final int JOBS = 200;

    private static SchedulerWorld few = new SchedulerWorld();
    private static SchedulerWorld many = new SchedulerWorld();

    /** The same nodes; of one world one job, and of the other all that may wait. */
    @BeforeAll
    static void twoWorlds() {
        few = world(1);
        many = world(JOBS);
        for (int i = 0; i < 4_000; i++) {
            many.call(new Request.Barrier("a", "job-" + (1 + i % (JOBS - 1)), 1, 0));
        }
        for (int i = 0; i < 1_000; i++) {
            many.call(new Request.Messages("b", 1, Long.MAX_VALUE, SchedulerWorld.SECOND));
        }
        many.isSlow = true;
        for (int i = 0; i < 4_000; i++) {
            many.call(new Request.Cancel("job-1"));
        }
        assertEquals(4_000, many.state().waiters().size());
        assertEquals(1_000, many.state().polls().size());
        assertEquals(4_000, many.state().pending().size());
    }

    private static SchedulerWorld world(int jobs) {
        var world = new SchedulerWorld();
        world.register("a", "b", "c");
        for (int i = 0; i < jobs; i++) {
            world.submit(Samples.job("job-" + i, 9, 3));
        }
        for (String node : List.of("a", "b", "c")) {
            world.mail(node);
            world.beat(node, 0, new Progress("job-0", 1, 1));
        }
        return world;
    }

    private static Request beat(Progress progress) {
        return new Request.Beat("a", 0, NodeRole.UNKNOWN, Optional.empty(), List.of(progress), false);
    }

    static Stream<Arguments> events() {
        return Stream.of(
                Arguments.of("a tick", new SchedulerEvent.Tick(), 1),
                Arguments.of("a call that goes", new SchedulerEvent.Ended(1), 1),
                Arguments.of("samples", new SchedulerEvent.Called(9_999, beat(new Progress("job-0", 1, 2))), JOBS),
                Arguments.of("an epoch", new SchedulerEvent.Called(9_999, beat(new Progress("job-0", 7, 2))), JOBS),
                Arguments.of("a barrier", new SchedulerEvent.Called(9_999, new Request.Barrier("c", "job-0", 1, 0)), 1),
                Arguments.of("a question", new SchedulerEvent.Called(9_999, new Request.ListJobs()), 1));
    }

    /**
     * @param jobs that the answer may name
     */
    @ParameterizedTest(name = "{0}")
    @MethodSource("events")
    void anEventCostsTheSameHoweverManyWait(String name, SchedulerEvent event, int jobs) {
        long alone = allocated(few, event);
        long amongMany = allocated(many, event);
        long most = 3 * alone + 2_048 + 64L * jobs; // deeper trees, and the names of jobs in the answer
        assertTrue(amongMany <= most, () -> name + ": " + alone + " bytes alone, " + amongMany + " among many");
    }

    private static long allocated(SchedulerWorld world, SchedulerEvent event) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 20; i++) { // the first steps load classes
            long before = THREADS.getCurrentThreadAllocatedBytes();
            Step<SchedulerState, SchedulerEffect> step = MACHINE.step(world.state(), event, world.nowNanos());
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
            assertTrue(step.state().isServing());
        }
        return least;
    }
}
