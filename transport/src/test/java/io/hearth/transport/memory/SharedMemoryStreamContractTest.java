package io.hearth.transport.memory;

import io.hearth.transport.DataStreamContractTest;
import io.hearth.transport.StreamEnds;
import java.io.IOException;

final class SharedMemoryStreamContractTest extends DataStreamContractTest {
    @Override
    protected StreamEnds open() throws IOException {
        return StreamEnds.local(folder, timer);
    }

    @Override
    protected long allocatedMax() {
        return 0;
    }
}
