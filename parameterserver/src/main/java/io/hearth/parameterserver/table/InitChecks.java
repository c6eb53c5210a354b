package io.hearth.parameterserver.table;

import io.hearth.parameterserver.ElementType;
import io.hearth.parameterserver.Sizes;
import io.hearth.parameterserver.optimize.OptimizerSettings;
import io.hearth.parameterserver.optimize.OptimizerState;
import io.hearth.parameterserver.optimize.Values;
import io.hearth.parameterserver.wire.InitParamRequest;
import io.hearth.parameterserver.wire.Parameter;
import io.hearth.serve.Failure;
import java.util.Map;
import java.util.Optional;

/** Whether a parameter can be initialized. */
final class InitChecks {
    static final Failure ALREADY = new Failure(Failure.Code.ALREADY_EXISTS, "pserver already initialized");

    private InitChecks() {}

    static Optional<Failure> check(
            InitParamRequest init, boolean isInitialized, Map<String, Stored> known, long bytesBefore) {
        if (isInitialized) {
            return Optional.of(ALREADY);
        }
        String name = init.getParam().getName();
        if (name.isEmpty() || name.length() > Sizes.NAME_CHARACTERS_MAX) {
            return invalid("a parameter's name has 1 to " + Sizes.NAME_CHARACTERS_MAX + " characters, got "
                    + name.length() + ": choose another name");
        }
        int size = init.getParam().getContent().size();
        if (size == 0 || size > Sizes.CONTENT_BYTES_MAX) {
            return invalid("a parameter has 1 to " + Sizes.CONTENT_BYTES_MAX + " bytes, got " + size
                    + ": split a larger one, as the client does");
        }
        OptimizerSettings settings;
        try {
            Values values = values(init.getParam());
            settings = OptimizerSettings.of(init.getConfig());
            settings.checkFor(values.type());
        } catch (IllegalArgumentException wrong) {
            return invalid(String.valueOf(wrong.getMessage()));
        }
        Stored before = known.get(name);
        if (before == null && known.size() >= Sizes.PARAMETERS_MAX) {
            return Optional.of(new Failure(
                    Failure.Code.RESOURCE_EXHAUSTED,
                    "a part has at most " + Sizes.PARAMETERS_MAX + " parameters: use more parts"));
        }
        long freed = before == null
                ? 0
                : OptimizerState.bytes(
                        before.state().settings(), before.state().values().bytes().length);
        if (bytesBefore - freed + OptimizerState.bytes(settings, size) > Sizes.PART_BYTES_MAX) {
            return Optional.of(new Failure(
                    Failure.Code.RESOURCE_EXHAUSTED,
                    "a part has at most " + Sizes.PART_BYTES_MAX
                            + " bytes of values and optimizer states: use more parts, or place by size"));
        }
        return Optional.empty();
    }

    static Values values(Parameter parameter) {
        return Values.over(
                ElementType.of(parameter.getElementTypeValue()),
                parameter.getContent().toByteArray());
    }

    private static Optional<Failure> invalid(String text) {
        return Optional.of(new Failure(Failure.Code.INVALID_ARGUMENT, text));
    }
}
