/** A service on one machine, without a cluster. */
@NullMarked
package io.hearth.serve.alone;

import org.jspecify.annotations.NullMarked;
