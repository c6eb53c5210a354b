package io.hearth.djl;

import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.index.NDIndex;
import ai.djl.nn.Parameter;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.Tensor;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.RootLostException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Arrays of parameters, each with memory of its own in which collectives work. Arrays on any device. */
final class Values {
    private static final Logger LOG = LoggerFactory.getLogger(Values.class);

    private static final NDIndex ALL = new NDIndex("...");

    private final List<Slot> slots;

    /** An array of a parameter, and its memory. */
    private record Slot(Parameter parameter, boolean isGradient, Tensor memory) {
        private void use(Consumer<NDArray> action) {
            NDArray array = parameter.getArray();
            // Each use has a handle of its own. On a thread that records operations, PyTorch refuses to write a
            // parameter.
            try (NDArray handle = isGradient ? array.getGradient() : array.stopGradient()) {
                action.accept(handle);
            }
        }
    }

    private Values(List<Parameter> parameters, boolean areGradients) {
        slots = parameters.stream()
                .map(each -> new Slot(each, areGradients, memory(each)))
                .toList();
    }

    /** The parameters themselves. */
    static Values of(List<Parameter> parameters) {
        return new Values(parameters, false);
    }

    /** Their gradients. */
    static Values gradients(List<Parameter> parameters) {
        return new Values(parameters, true);
    }

    private static Tensor memory(Parameter parameter) {
        NDArray array = parameter.getArray();
        DataType type = switch (array.getDataType()) {
            case FLOAT32 -> DataType.FLOAT32;
            case FLOAT64 -> DataType.FLOAT64;
            case FLOAT16 -> DataType.FLOAT16;
            case BFLOAT16 -> DataType.BFLOAT16;
            case INT32 -> DataType.INT32;
            case INT64 -> DataType.INT64;
            default ->
                throw new EngineException("the parameter '" + parameter.getName() + "' is " + array.getDataType()
                        + ", and there are collectives for float16, bfloat16, float32, float64, int32 and int64");
        };
        return Tensor.of(Arena.ofAuto().allocate(array.size() * type.bytes(), Long.BYTES), type);
    }

    /** The memory of all, in the order of the parameters. */
    List<Tensor> tensors() {
        return slots.stream().map(Slot::memory).toList();
    }

    /** Copies the arrays into the memory. */
    void read() {
        for (Slot slot : slots) {
            slot.use(array -> slot.memory().memory().copyFrom(MemorySegment.ofBuffer(array.toByteBuffer())));
        }
    }

    /** Copies the memory into the arrays. By an index, because to set a whole array of PyTorch makes it point to the buffer. */
    void write() {
        for (Slot slot : slots) {
            slot.use(array -> {
                try (NDManager temporary = array.getManager().newSubManager()) {
                    ByteBuffer bytes = slot.memory().memory().asByteBuffer().order(ByteOrder.nativeOrder());
                    array.set(ALL, temporary.create(bytes, array.getShape(), array.getDataType()));
                }
            });
        }
    }

    /** Replaces the arrays of all ranks by those of rank 0; if that rank is lost meanwhile, by those of the one in its place. */
    void takeFromFirst(DistributedContext cluster) throws CollectiveException {
        read();
        for (Slot slot : slots) {
            boolean isThere = false;
            while (!isThere) {
                try {
                    cluster.broadcast(slot.memory(), 0);
                    isThere = true;
                } catch (RootLostException lost) {
                    LOG.info("{}; the values are those of the next rank", lost.getMessage());
                }
            }
        }
        write();
    }
}
