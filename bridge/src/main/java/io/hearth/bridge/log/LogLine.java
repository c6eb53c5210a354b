package io.hearth.bridge.log;

/**
 * A line of the log.
 *
 * @param level as slf4j and Python's {@code logging} number them: 10 debug, 20 info, 30 warning, 40 error
 * @param logger name of the class that wrote it
 */
record LogLine(int level, String logger, String text) {}
