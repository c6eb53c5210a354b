package io.hearth.accel.portable;

import io.hearth.accel.Engine;
import io.hearth.accel.Reducer;
import io.hearth.accel.ReducerContractTest;
import io.hearth.accel.select.Engines;

final class PortableReducerTest extends ReducerContractTest {
    @Override
    protected Reducer newReducer() {
        return Engines.newReducer(Engine.PORTABLE);
    }
}
