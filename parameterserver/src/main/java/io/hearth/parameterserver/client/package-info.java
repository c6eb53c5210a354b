/** A client that blocks. */
@NullMarked
package io.hearth.parameterserver.client;

import org.jspecify.annotations.NullMarked;
