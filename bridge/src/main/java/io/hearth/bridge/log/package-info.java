/** slf4j's provider in a foreign process: log lines wait here until the program takes them. */
@NullMarked
package io.hearth.bridge.log;

import org.jspecify.annotations.NullMarked;
