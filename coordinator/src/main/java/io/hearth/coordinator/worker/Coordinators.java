package io.hearth.coordinator.worker;

import com.google.protobuf.MessageLite;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusException;
import io.hearth.coordinator.ExchangeException;
import io.hearth.serve.grpc.StatusText;
import io.hearth.serve.grpc.UnaryHandler;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The machines that serve the coordinator. One of them is called until it fails, then the next one. One thread at a time. */
final class Coordinators implements AutoCloseable {
    private final Peers connections;
    private final List<String> addresses;
    private int current;

    Coordinators(Peers connections, List<String> addresses) {
        this.connections = connections;
        this.addresses = addresses;
    }

    /**
     * Calls a coordinator; a machine that does not answer is passed over.
     *
     * @param seconds for each machine
     * @throws StatusException if the coordinator refused, or no machine answered
     */
    <M extends MessageLite> M call(String method, MessageLite request, Wire.Reader<M> reader, long seconds)
            throws StatusException {
        MethodDescriptor<byte[], byte[]> descriptor = UnaryHandler.descriptor(Wire.COORDINATOR, method);
        StatusException last = Status.UNAVAILABLE.asException();
        for (int i = 0; i < addresses.size(); i++) {
            try {
                byte[] answer = connections.callPlainly(
                        addresses.get(current),
                        descriptor,
                        request.toByteArray(),
                        System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds));
                return Wire.read(reader, answer);
            } catch (StatusException failed) {
                last = failed;
                if (!isAway(failed.getStatus())) {
                    throw failed;
                }
            } catch (ExchangeException unusable) { // the address, or what it answers
                last = Status.UNAVAILABLE
                        .withDescription(unusable.getMessage())
                        .withCause(unusable)
                        .asException();
            }
            current = (current + 1) % addresses.size();
        }
        throw last;
    }

    /** Whether a status says that no coordinator answered. */
    static boolean isAway(Status status) {
        return switch (status.getCode()) {
            case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED -> true;
            default -> false;
        };
    }

    static String text(StatusException failed) {
        return failed.getStatus().getCode() + ": " + StatusText.of(failed.getStatus());
    }

    @Override
    public void close() {
        connections.close();
    }
}
