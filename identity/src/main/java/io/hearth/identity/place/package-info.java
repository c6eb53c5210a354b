/** Whether a folder is still where it was made; {@code agent} and {@code replicated} use it. */
@NullMarked
package io.hearth.identity.place;

import org.jspecify.annotations.NullMarked;
