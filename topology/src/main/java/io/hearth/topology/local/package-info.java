/** What this machine's operating system says about itself: interfaces and profile. It uses {@code system}; {@code agent} may use it. */
@NullMarked
package io.hearth.topology.local;

import org.jspecify.annotations.NullMarked;
