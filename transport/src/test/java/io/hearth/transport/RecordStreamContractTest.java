package io.hearth.transport;

import java.io.IOException;

final class RecordStreamContractTest extends DataStreamContractTest {
    @Override
    StreamEnds open() throws IOException {
        return StreamEnds.tcp(timer);
    }

    /** What the JDK's cipher makes for each record. */
    @Override
    long allocatedMax() {
        return 2048;
    }
}
