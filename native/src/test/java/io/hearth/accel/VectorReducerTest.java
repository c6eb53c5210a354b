package io.hearth.accel;

final class VectorReducerTest extends ReducerContractTest {
    @Override
    Reducer newReducer() {
        return Engines.newReducer(Engine.VECTOR);
    }
}
