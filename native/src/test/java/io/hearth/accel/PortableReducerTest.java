package io.hearth.accel;

final class PortableReducerTest extends ReducerContractTest {
    @Override
    Reducer newReducer() {
        return Engines.newReducer(Engine.PORTABLE);
    }
}
