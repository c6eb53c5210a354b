package io.hearth.agent.api;

import com.google.gson.JsonObject;
import io.hearth.core.Clock;
import io.hearth.identity.Labels;
import java.util.Optional;

/** The pairing that {@code hearth pair} runs on this machine, so that the page can show its code. Any thread may call it. */
final class PairingNote {
    private static final long LIFE_NANOS_MAX = 30 * 60_000_000_000L;
    private static final int TEXT_MAX = 256;

    private final Clock clock;
    private Optional<Shown> shown = Optional.empty();

    private record Shown(String code, String text, long untilNanos) {}

    PairingNote(Clock clock) {
        this.clock = clock;
    }

    /** Shows a code with a sentence, for a time that is at most half an hour. */
    synchronized void show(String code, String text, long millis) {
        long life = Math.clamp(millis, 0, LIFE_NANOS_MAX / 1_000_000) * 1_000_000;
        shown = Optional.of(new Shown(clean(code), clean(text), clock.nanoTime() + life));
    }

    private static String clean(String text) {
        String clean = Labels.clean(text);
        return clean.substring(0, Math.min(TEXT_MAX, clean.length()));
    }

    synchronized void hide() {
        shown = Optional.empty();
    }

    synchronized JsonObject json() {
        long now = clock.nanoTime();
        shown = shown.filter(pairing -> pairing.untilNanos() - now > 0);
        var json = new JsonObject();
        json.addProperty("schema", 1);
        shown.ifPresent(pairing -> {
            json.addProperty("code", pairing.code());
            json.addProperty("text", pairing.text());
            json.addProperty("seconds_left", (pairing.untilNanos() - now) / 1_000_000_000L);
        });
        return json;
    }
}
