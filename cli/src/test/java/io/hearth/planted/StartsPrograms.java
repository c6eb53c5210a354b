package io.hearth.planted;

import java.io.IOException;
import java.util.List;

/** Starts programs in each way that hands the secret on, for {@code CodeRulesTest} to find. */
final class StartsPrograms {
    private StartsPrograms() {}

    static List<ProcessBuilder> prepared() {
        return List.of(new ProcessBuilder("env"), new ProcessBuilder(List.of("env")));
    }

    static Process started() throws IOException {
        return Runtime.getRuntime().exec(new String[] {"env"});
    }
}
