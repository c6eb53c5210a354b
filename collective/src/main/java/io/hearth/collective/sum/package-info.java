/** The operations behind each kind of collective: plain, in place, or compressed. */
@NullMarked
package io.hearth.collective.sum;

import org.jspecify.annotations.NullMarked;
