package io.hearth.parameterserver.server;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.ServerServiceDefinition;
import io.hearth.identity.NodeId;
import io.hearth.parameterserver.Sizes;
import io.hearth.parameterserver.wire.ChunkRequest;
import io.hearth.parameterserver.wire.ChunkResponse;
import io.hearth.serve.Failure;
import io.hearth.serve.grpc.UnaryCall;
import io.hearth.serve.grpc.UnaryHandler;
import io.hearth.serve.shell.Surroundings;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls of any size between members, in chunks: first those of the request, each answered; the last one is answered with the first chunk of
 * the answer, whose rest the caller fetches. What a caller left unfinished for a minute is dropped when the
 * next call comes.
 */
final class MemberRequests {
    private static final String SERVICE = "hearth.parameterserver.Members";
    private static final String METHOD = "Chunk";
    private static final int OPEN_MAX = 4_096;
    private static final long OPEN_BYTES_MAX = Runtime.getRuntime().maxMemory() / 4;
    private static final long IDLE_NANOS = 60_000_000_000L;

    /** Answers a whole request. */
    interface Handler {
        void call(String method, ByteString request, Gone gone, Answer answer);
    }

    private static final class Open {
        private final byte[] bytes;
        private int filled;
        private long touchedNanos;

        private Open(int total) {
            this(new byte[total]);
        }

        private Open(byte[] bytes) {
            this.bytes = bytes;
        }
    }

    private final Surroundings around;
    private final Handler handler;
    private final SecureRandom random = new SecureRandom();

    // Guarded by this.
    private final Map<Long, Open> requests = new HashMap<>();
    private final Map<Long, Open> answers = new HashMap<>();
    private long held; // bytes of both

    MemberRequests(Surroundings around, Handler handler) {
        this.around = around;
        this.handler = handler;
    }

    /** Calls another member; the future ends on any thread. Whoever cancels it ends the call. */
    CompletableFuture<byte[]> call(NodeId member, String method, MessageLite request, Duration timeout) {
        return new Outgoing(member, method, request.toByteArray(), timeout).send(0);
    }

    /** A call of another member. */
    private final class Outgoing {
        private final NodeId member;
        private final String method;
        private final long number = random.nextLong();
        private final byte[] bytes;
        private final Duration timeout;
        private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
        private volatile CompletableFuture<?> chunk = whole;

        private Outgoing(NodeId member, String method, byte[] bytes, Duration timeout) {
            this.member = member;
            this.method = method;
            this.bytes = bytes;
            this.timeout = timeout;
            var _ = whole.whenComplete((_, _) -> {
                if (whole.isCancelled()) {
                    chunk.cancel(true);
                }
            });
        }

        private CompletableFuture<byte[]> send(int offset) {
            int size = Math.min(Sizes.CHUNK_BYTES_MAX, bytes.length - offset);
            boolean isLast = offset + size == bytes.length;
            ask(
                    ChunkRequest.newBuilder()
                            .setMethod(method)
                            .setCall(number)
                            .setTotal(bytes.length)
                            .setOffset(offset)
                            .setBytes(UnsafeByteOperations.unsafeWrap(bytes, offset, size))
                            .build(),
                    answer -> {
                        if (isLast) {
                            receive(answer, new byte[bounded(answer.getTotal())]);
                        } else {
                            var _ = send(offset + size);
                        }
                    });
            return whole;
        }

        private void receive(ChunkResponse answer, byte[] all) {
            int end = bounded(answer.getOffset()) + answer.getBytes().size();
            if (end > all.length || (answer.getBytes().isEmpty() && end < all.length)) {
                throw new IllegalStateException("an answer in chunks that do not fit");
            }
            answer.getBytes().copyTo(all, (int) answer.getOffset());
            if (end == all.length) {
                whole.complete(all);
            } else {
                ask(
                        ChunkRequest.newBuilder()
                                .setCall(number)
                                .setAnswerOffset(end)
                                .build(),
                        next -> receive(next, all));
            }
        }

        private void ask(ChunkRequest request, Consumer<ChunkResponse> then) {
            CompletableFuture<byte[]> answer =
                    around.others().call(member, SERVICE + "/" + METHOD, request.toByteArray(), timeout);
            chunk = answer;
            if (whole.isCancelled()) {
                answer.cancel(true);
            }
            var _ = answer.whenComplete((read, failed) -> {
                try {
                    if (failed == null) {
                        then.accept(ChunkResponse.parseFrom(read));
                    } else {
                        whole.completeExceptionally(failed);
                    }
                } catch (InvalidProtocolBufferException | RuntimeException broken) {
                    whole.completeExceptionally(broken);
                }
            });
        }
    }

    private static int bounded(long size) {
        if (size < 0 || size > Integer.MAX_VALUE - 64) {
            throw new IllegalArgumentException("a call of " + size + " bytes");
        }
        return (int) size;
    }

    ServerServiceDefinition methods() {
        return ServerServiceDefinition.builder(SERVICE)
                .addMethod(UnaryHandler.method(SERVICE, METHOD, ChunkRequest.parser(), around.timer(), this::chunk))
                .build();
    }

    private Runnable chunk(ChunkRequest request, OptionalLong remainingNanos, UnaryCall call) {
        try {
            if (request.getAnswerOffset() > 0) {
                call.answer(rest(request));
                return () -> {};
            }
            ByteString whole = request.getOffset() == 0 && request.getBytes().size() == request.getTotal()
                    ? request.getBytes()
                    : collect(request);
            if (whole == null) {
                call.answer(ChunkResponse.getDefaultInstance());
                return () -> {};
            }
            var gone = new Gone();
            handler.call(request.getMethod(), whole, gone, first(request.getCall(), call));
            return gone::set;
        } catch (IllegalArgumentException wrong) {
            call.fail(new Failure(Failure.Code.UNAVAILABLE, String.valueOf(wrong.getMessage())));
            return () -> {};
        }
    }

    private synchronized @Nullable ByteString collect(ChunkRequest request) {
        long now = around.clock().nanoTime();
        forget(now);
        Open open = requests.get(request.getCall());
        if (open == null || request.getOffset() == 0) {
            int total = bounded(request.getTotal());
            drop(requests, request.getCall());
            if (!hasRoom(requests, total)) {
                throw new IllegalArgumentException("too many calls of members are open: call again");
            }
            open = new Open(total);
            held += total;
            requests.put(request.getCall(), open);
        }
        if (request.getOffset() != open.filled || request.getBytes().size() > open.bytes.length - open.filled) {
            drop(requests, request.getCall());
            throw new IllegalArgumentException("a chunk that does not follow the one before it: call again");
        }
        request.getBytes().copyTo(open.bytes, open.filled);
        open.filled += request.getBytes().size();
        open.touchedNanos = now;
        if (open.filled < open.bytes.length) {
            return null;
        }
        drop(requests, request.getCall());
        return UnsafeByteOperations.unsafeWrap(open.bytes);
    }

    private boolean hasRoom(Map<Long, Open> among, long bytes) {
        return among.size() < OPEN_MAX && (held == 0 || held + bytes <= OPEN_BYTES_MAX);
    }

    private void drop(Map<Long, Open> from, long call) {
        Open open = from.remove(call);
        if (open != null) {
            held -= open.bytes.length;
        }
    }

    private void forget(long now) {
        forget(requests, now);
        forget(answers, now);
    }

    private void forget(Map<Long, Open> from, long now) {
        for (Iterator<Open> all = from.values().iterator(); all.hasNext(); ) {
            Open open = all.next();
            if (now - open.touchedNanos > IDLE_NANOS) {
                held -= open.bytes.length;
                all.remove();
            }
        }
    }

    /** Answers with the first chunk, and keeps the rest. */
    private Answer first(long id, UnaryCall call) {
        return new Answer() {
            @Override
            public void answer(MessageLite message) {
                byte[] bytes = message.toByteArray();
                int size = Math.min(bytes.length, Sizes.CHUNK_BYTES_MAX);
                if (size < bytes.length) {
                    keep(id, bytes);
                }
                call.answer(ChunkResponse.newBuilder()
                        .setTotal(bytes.length)
                        .setBytes(UnsafeByteOperations.unsafeWrap(bytes, 0, size))
                        .build());
            }

            @Override
            public void fail(Failure why) {
                call.fail(why);
            }
        };
    }

    private synchronized void keep(long id, byte[] bytes) {
        long now = around.clock().nanoTime();
        forget(now);
        if (hasRoom(answers, bytes.length)) { // else its caller fails and calls again
            drop(answers, id);
            var open = new Open(bytes);
            open.touchedNanos = now;
            held += bytes.length;
            answers.put(id, open);
        }
    }

    private synchronized ChunkResponse rest(ChunkRequest request) {
        Open open = answers.get(request.getCall());
        if (open == null || request.getAnswerOffset() >= open.bytes.length) {
            throw new IllegalArgumentException("no such answer waits here: call again");
        }
        int from = (int) request.getAnswerOffset();
        int size = Math.min(Sizes.CHUNK_BYTES_MAX, open.bytes.length - from);
        open.touchedNanos = around.clock().nanoTime();
        if (from + size == open.bytes.length) {
            drop(answers, request.getCall());
        }
        return ChunkResponse.newBuilder()
                .setTotal(open.bytes.length)
                .setOffset(from)
                .setBytes(ByteString.copyFrom(open.bytes, from, size))
                .build();
    }
}
