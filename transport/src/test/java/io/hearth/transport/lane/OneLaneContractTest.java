package io.hearth.transport.lane;

import io.hearth.transport.DataStreamContractTest;
import io.hearth.transport.StreamEnds;
import java.io.IOException;

final class OneLaneContractTest extends DataStreamContractTest {
    @Override
    protected StreamEnds open() throws IOException {
        return StreamEnds.lanes(1, timer);
    }

    /** The JDK's cipher allocates 2 KiB for each record; the rest is the record's place among the lanes. */
    @Override
    protected long allocatedMax() {
        return 3_072;
    }
}
