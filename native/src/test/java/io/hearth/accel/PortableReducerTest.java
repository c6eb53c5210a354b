package io.hearth.accel;

final class PortableReducerTest extends ReducerContractTest {
    @Override
    Reducer newReducer() {
        return Engine.PORTABLE.newReducer();
    }
}
