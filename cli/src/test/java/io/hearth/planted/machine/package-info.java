/** Classes that break rules on purpose, so that a test sees that the rules find them. */
@NullMarked
package io.hearth.planted.machine;

import org.jspecify.annotations.NullMarked;
