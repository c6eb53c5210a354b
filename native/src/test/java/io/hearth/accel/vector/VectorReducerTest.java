package io.hearth.accel.vector;

import io.hearth.accel.Engine;
import io.hearth.accel.Reducer;
import io.hearth.accel.ReducerContractTest;
import io.hearth.accel.select.Engines;
import org.junit.jupiter.api.condition.EnabledIf;

@EnabledIf("io.hearth.accel.VectorWidth#isPresent")
final class VectorReducerTest extends ReducerContractTest {
    @Override
    protected Reducer newReducer() {
        return Engines.newReducer(Engine.VECTOR);
    }
}
