/** Measurements that tell the truth. */
@NullMarked
package io.hearth.bench;

import org.jspecify.annotations.NullMarked;
