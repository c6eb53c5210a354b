/** {@code hearth chaos}: kills, pauses and unplugs real processes while they train. */
@NullMarked
package io.hearth.cli.chaos;

import org.jspecify.annotations.NullMarked;
