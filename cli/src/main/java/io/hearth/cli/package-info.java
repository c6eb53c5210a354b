/** {@code main}, which puts the commands of all rooms together. It uses all other rooms; no module uses it. */
@NullMarked
package io.hearth.cli;

import org.jspecify.annotations.NullMarked;
