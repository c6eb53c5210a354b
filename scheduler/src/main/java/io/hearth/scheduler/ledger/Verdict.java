package io.hearth.scheduler.ledger;

import io.hearth.core.Bytes;
import io.hearth.serve.Failure;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The answer of a command: nothing if it was done, else why not. */
public final class Verdict {
    private Verdict() {}

    static Bytes encode(Optional<Failure> failure) {
        if (failure.isEmpty()) {
            return Bytes.EMPTY;
        }
        byte[] text = failure.get().text().getBytes(StandardCharsets.UTF_8);
        byte[] answer = new byte[1 + text.length];
        answer[0] = (byte) failure.get().code().number();
        System.arraycopy(text, 0, answer, 1, text.length);
        return Bytes.of(answer);
    }

    /** Why a command was not done; empty if it was. */
    public static Optional<Failure> of(Bytes answer) {
        if (answer.isEmpty()) {
            return Optional.empty();
        }
        byte[] bytes = answer.toArray();
        String text = new String(bytes, 1, bytes.length - 1, StandardCharsets.UTF_8);
        for (Failure.Code code : Failure.Code.values()) {
            if (code.number() == bytes[0]) {
                return Optional.of(new Failure(code, text));
            }
        }
        return Optional.of(new Failure(Failure.Code.INTERNAL, text));
    }
}
