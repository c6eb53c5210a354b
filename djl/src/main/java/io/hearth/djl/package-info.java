/** Data-parallel training with the Deep Java Library. */
@NullMarked
package io.hearth.djl;

import org.jspecify.annotations.NullMarked;
