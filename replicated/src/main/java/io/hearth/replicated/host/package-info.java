/** The shell of a replica: its owner thread. Uses all other rooms; services and {@code agent} use it. */
@NullMarked
package io.hearth.replicated.host;

import org.jspecify.annotations.NullMarked;
