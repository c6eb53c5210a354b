package io.hearth.transport.record;

import io.hearth.transport.DataStreamContractTest;
import io.hearth.transport.StreamEnds;
import java.io.IOException;

final class RecordStreamContractTest extends DataStreamContractTest {
    @Override
    protected StreamEnds open() throws IOException {
        return StreamEnds.tcp(timer);
    }

    /** The JDK's cipher allocates this for each record. */
    @Override
    protected long allocatedMax() {
        return 2048;
    }
}
