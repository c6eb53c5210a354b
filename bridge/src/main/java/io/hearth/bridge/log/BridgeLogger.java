package io.hearth.bridge.log;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** Formats lines and queues them for the program. */
final class BridgeLogger extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1L;

    private final Level least;

    BridgeLogger(String name) {
        this.name = name;
        this.least = least(name);
    }

    /** The lowest level of a logger, whatever the program asks for: libraries report as warnings what Hearth handles. */
    private static Level least(String name) {
        if (name.startsWith("javax.jmdns")) {
            return Level.ERROR;
        }
        return name.startsWith("io.hearth") ? Level.TRACE : Level.WARN;
    }

    private boolean isEnabled(Level level) {
        return level.toInt() >= least.toInt() && level.toInt() >= LogDelivery.level();
    }

    @Override
    public boolean isTraceEnabled() {
        return isEnabled(Level.TRACE);
    }

    @Override
    public boolean isDebugEnabled() {
        return isEnabled(Level.DEBUG);
    }

    @Override
    public boolean isInfoEnabled() {
        return isEnabled(Level.INFO);
    }

    @Override
    public boolean isWarnEnabled() {
        return isEnabled(Level.WARN);
    }

    @Override
    public boolean isErrorEnabled() {
        return isEnabled(Level.ERROR);
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            String pattern,
            Object @Nullable [] arguments,
            @Nullable Throwable failure) {
        String text = MessageFormatter.basicArrayFormat(pattern, arguments);
        LogDelivery.add(new LogLine(level.toInt(), name, failure == null ? text : text + trace(level, failure)));
    }

    /** What happened, with the stack only where it helps to find a bug. */
    private static String trace(Level level, Throwable failure) {
        if (level != Level.ERROR) {
            return ": " + failure;
        }
        var stack = new StringWriter();
        failure.printStackTrace(new PrintWriter(stack));
        return System.lineSeparator() + stack;
    }
}
