package io.hearth.parameterserver.table;

import io.hearth.parameterserver.ElementType;
import io.hearth.parameterserver.Sizes;
import io.hearth.parameterserver.gradient.Gradients;
import io.hearth.parameterserver.wire.SendGradRequest;
import io.hearth.serve.Failure;
import java.util.Optional;
import java.util.SortedSet;

/** Whether a gradient can be taken. */
final class GradientChecks {
    private GradientChecks() {}

    /** @param trainers of a step, if the table is synchronous */
    static Optional<Outcome> check(
            SendGradRequest request,
            boolean isInitialized,
            Optional<Stored> known,
            Optional<SortedSet<String>> trainers) {
        if (!isInitialized) {
            return refused(Failure.Code.FAILED_PRECONDITION, "pserver not fully initialized");
        }
        if (!request.hasGradient()) {
            return invalid("no gradient received");
        }
        String name = request.getGradient().getName();
        if (known.isEmpty()) {
            return refused(Failure.Code.NOT_FOUND, "parameter: " + name + " does not exist");
        }
        Stored stored = known.get();
        String trainer = request.getTrainer();
        if (trainer.length() > Sizes.TRAINER_CHARACTERS_MAX) {
            return invalid("a trainer's name has at most " + Sizes.TRAINER_CHARACTERS_MAX + " characters, got "
                    + trainer.length() + ": choose another name");
        }
        if (!trainer.isEmpty() && request.getSequence() < 1) {
            return invalid("the sequence of a trainer's gradients counts from 1, got " + request.getSequence());
        }
        Stored.Seen seen = stored.seen().get(trainer);
        if (seen != null && request.getSequence() <= seen.sequence()) {
            return Optional.of(new Outcome.Taken(seen.version(), stored.version() >= seen.version(), true));
        }
        return wrongContent(request, stored).or(() -> trainers.flatMap(known2 -> wrongStep(trainer, stored, known2)));
    }

    private static Optional<Outcome> wrongContent(SendGradRequest request, Stored stored) {
        ElementType type = stored.state().values().type();
        int number = request.getGradient().getElementTypeValue();
        if (number != type.number()) {
            return invalid("wrong type: parameter " + request.getGradient().getName() + " has the type " + type
                    + ", its gradient has the type "
                    + request.getGradient().getElementType());
        }
        if (request.getGradient().getContent().isEmpty()) {
            return invalid("no gradient received");
        }
        try {
            var _ = Gradients.decode(
                    request.getEncoding(),
                    type,
                    stored.state().values().size(),
                    request.getGradient().getContent());
            return Optional.empty();
        } catch (IllegalArgumentException wrong) {
            return invalid(String.valueOf(wrong.getMessage()));
        }
    }

    private static Optional<Outcome> wrongStep(String trainer, Stored stored, SortedSet<String> trainers) {
        if (!trainers.contains(trainer)) {
            return refused(
                    Failure.Code.FAILED_PRECONDITION,
                    "trainer " + trainer + " is not registered, or its lease ended: call Register, then send again");
        }
        if (stored.pending().containsKey(trainer)) {
            return refused(
                    Failure.Code.FAILED_PRECONDITION,
                    "trainer " + trainer + " sent its gradient of this step already: get version "
                            + (stored.version() + 1) + " before the next step");
        }
        return Optional.empty();
    }

    private static Optional<Outcome> invalid(String text) {
        return refused(Failure.Code.INVALID_ARGUMENT, text);
    }

    private static Optional<Outcome> refused(Failure.Code code, String text) {
        return Optional.of(new Outcome.Refused(new Failure(code, text)));
    }
}
