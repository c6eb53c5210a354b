package io.hearth.serve.member;

import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;

/** Completes a future with the one answer of a call. */
record Awaited(CompletableFuture<byte[]> answer) implements StreamObserver<byte[]> {
    @Override
    public void onNext(byte[] message) {
        answer.complete(message);
    }

    @Override
    public void onError(Throwable why) {
        answer.completeExceptionally(why);
    }

    @Override
    public void onCompleted() {}
}
