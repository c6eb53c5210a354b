package io.hearth.collective.exchange;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.engine.TestGroup;
import io.hearth.collective.group.GroupLayout;
import io.hearth.topology.plan.Plan;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

final class GateTest {
    private final Gate gate = new Gate();
    private final AtomicBoolean allowed = new AtomicBoolean();
    private final AtomicBoolean enteredWhenAllowed = new AtomicBoolean();

    private Thread visitor() {
        var layout = new GroupLayout("L", "L/1", List.of(TestGroup.node(0)), Plan.NONE);
        var mesh = new Mesh(layout, TestGroup.node(0));
        return Thread.ofPlatform().start(() -> {
            try {
                gate.pass(mesh);
                enteredWhenAllowed.set(allowed.get());
            } catch (IOException abandoned) {
                throw new AssertionError(abandoned);
            }
        });
    }

    private void opensOnlyAfterBoth(Consumer<Gate> first, Consumer<Gate> second) throws InterruptedException {
        gate.freeze();
        gate.rest();
        Thread visitor = visitor();
        while (visitor.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        first.accept(gate);
        allowed.set(true);
        second.accept(gate);
        visitor.join();
        assertTrue(enteredWhenAllowed.get());
    }

    @Test
    void whoRestsDoesNotGoOnBecauseAViewCame() throws Exception {
        opensOnlyAfterBoth(Gate::thaw, Gate::resume);
    }

    @Test
    void whoIsFrozenDoesNotGoOnBecauseTheRestIsOver() throws Exception {
        opensOnlyAfterBoth(Gate::resume, Gate::thaw);
    }
}
