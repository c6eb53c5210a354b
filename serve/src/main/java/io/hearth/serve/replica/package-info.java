/** A service with its replica of the state that survives. */
@NullMarked
package io.hearth.serve.replica;

import org.jspecify.annotations.NullMarked;
