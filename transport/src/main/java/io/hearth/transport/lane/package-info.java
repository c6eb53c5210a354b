/** A stream over several paths at once. */
@NullMarked
package io.hearth.transport.lane;

import org.jspecify.annotations.NullMarked;
