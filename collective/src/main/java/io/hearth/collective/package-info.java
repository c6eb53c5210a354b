/** All-reduce and its recovery. */
@NullMarked
package io.hearth.collective;

import org.jspecify.annotations.NullMarked;
