package io.hearth.coordinator.worker;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.ExchangeException.Reason;
import io.hearth.coordinator.collective.Manifest;
import io.hearth.coordinator.distributed.wire.Tensor;
import io.hearth.serve.Failure;
import io.hearth.serve.grpc.StatusText;
import io.hearth.serve.grpc.UnaryHandler;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Names, sizes and errors of calls between workers. */
final class Wire {
    static final String WORKERS = "distributed.DistributedService";
    static final String COORDINATOR = "distributed.Coordinator";
    static final MethodDescriptor<byte[], byte[]> ALL_REDUCE = UnaryHandler.descriptor(WORKERS, "AllReduce").toBuilder()
            .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
            .build();
    static final MethodDescriptor<byte[], byte[]> BARRIER = UnaryHandler.descriptor(WORKERS, "Barrier");
    static final MethodDescriptor<byte[], byte[]> BROADCAST = UnaryHandler.descriptor(WORKERS, "Broadcast");

    /** Values of one message. */
    static final int PART_VALUES = 256 * 1024;

    /** Bytes of one message; workers of other makers send a tensor in one. */
    static final int MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

    /** Reads a message. */
    interface Reader<M extends MessageLite> {
        M read(byte[] bytes) throws InvalidProtocolBufferException;
    }

    private Wire() {}

    /** Reads an answer of another worker. */
    static <M extends MessageLite> M read(Reader<M> reader, byte[] bytes) throws ExchangeException {
        try {
            return reader.read(bytes);
        } catch (InvalidProtocolBufferException broken) {
            throw new ExchangeException(
                    Reason.REFUSED, "another worker's answer cannot be read: " + broken.getMessage(), broken);
        }
    }

    /** A part of a tensor. */
    static Tensor tensor(Manifest.Entry entry, float[] values, int from, int length) {
        return values(values, from, length).toBuilder()
                .addAllShape(entry.shape())
                .build();
    }

    /** Values without a shape. */
    static Tensor values(float[] values, int from, int length) {
        var tensor = Tensor.newBuilder();
        for (int i = 0; i < length; i++) {
            tensor.addData(values[from + i]);
        }
        return tensor.build();
    }

    static float[] data(Tensor tensor) {
        var data = new float[tensor.getDataCount()];
        for (int i = 0; i < data.length; i++) {
            data[i] = tensor.getData(i);
        }
        return data;
    }

    private static Failure.Code code(Reason reason) {
        return switch (reason) {
            case MISMATCH -> Failure.Code.FAILED_PRECONDITION;
            case TIMEOUT -> Failure.Code.DEADLINE_EXCEEDED;
            case WORKERS_CHANGED -> Failure.Code.ABORTED;
            case UNREACHABLE, CLOSED -> Failure.Code.UNAVAILABLE;
            case TOO_LARGE -> Failure.Code.RESOURCE_EXHAUSTED;
            case REFUSED -> Failure.Code.PERMISSION_DENIED;
        };
    }

    private static Reason reason(Status.Code code) {
        return switch (code) {
            case FAILED_PRECONDITION, INVALID_ARGUMENT, ALREADY_EXISTS -> Reason.MISMATCH;
            case DEADLINE_EXCEEDED, CANCELLED -> Reason.TIMEOUT;
            case ABORTED -> Reason.WORKERS_CHANGED;
            case UNAVAILABLE -> Reason.UNREACHABLE;
            case RESOURCE_EXHAUSTED -> Reason.TOO_LARGE;
            default -> Reason.REFUSED;
        };
    }

    static Failure failure(ExchangeException why) {
        return new Failure(code(why.reason()), text(why.getMessage()));
    }

    static Status status(ExchangeException why) {
        return Status.fromCodeValue(code(why.reason()).number()).withDescription(text(why.getMessage()));
    }

    /** What another worker said of a failure. */
    static ExchangeException failure(int code, String text) {
        return new ExchangeException(reason(Status.fromCodeValue(code).getCode()), text);
    }

    /** Why a call of another worker failed. */
    static ExchangeException failure(String who, Status status, Throwable cause) {
        Reason reason = reason(status.getCode());
        String text = StatusText.of(status);
        return switch (reason) {
            case UNREACHABLE -> new ExchangeException(reason, who + " cannot be reached: " + text, cause);
            case TIMEOUT ->
                new ExchangeException(
                        reason, text.startsWith("worker ") ? text : who + " did not answer in time: " + text, cause);
            case REFUSED -> new ExchangeException(reason, who + " refused (" + status.getCode() + "): " + text, cause);
            case MISMATCH, WORKERS_CHANGED, TOO_LARGE, CLOSED -> new ExchangeException(reason, text, cause);
        };
    }

    private static String text(Optional<String> text) {
        return text.orElse("it did not say why");
    }

    static String text(@Nullable String message) {
        return text(Optional.ofNullable(message));
    }
}
