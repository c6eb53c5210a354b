package io.hearth.planted;

import java.util.logging.Logger;

/** Writes to standard output and logs past slf4j, for {@code CodeRulesTest} to find. */
record Prints(Logger log) {
    void print() {
        System.out.println();
        System.err.println();
    }
}
