/** Commands that serve clients of other systems. Uses {@code terminal}. */
@NullMarked
package io.hearth.cli.serve;

import org.jspecify.annotations.NullMarked;
