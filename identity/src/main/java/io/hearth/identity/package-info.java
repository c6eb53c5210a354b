/** Who a machine is, and which namespace it belongs to. */
@NullMarked
package io.hearth.identity;

import org.jspecify.annotations.NullMarked;
