/** A C ABI over the library, for programs in other languages that start a JVM in their own process. */
@NullMarked
package io.hearth.bridge;

import org.jspecify.annotations.NullMarked;
