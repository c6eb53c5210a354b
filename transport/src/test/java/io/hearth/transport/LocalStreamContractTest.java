package io.hearth.transport;

import java.io.IOException;

final class LocalStreamContractTest extends DataStreamContractTest {
    @Override
    StreamEnds open() throws IOException {
        return StreamEnds.local(folder, timer);
    }

    @Override
    long allocatedMax() {
        return 0;
    }
}
