/** How each kind of collective is done: plain, in place, or compressed. */
@NullMarked
package io.hearth.collective.sum;

import org.jspecify.annotations.NullMarked;
