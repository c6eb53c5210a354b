/** {@code hearth jobs}: what people tell and ask a scheduler. */
@NullMarked
package io.hearth.cli.jobs;

import org.jspecify.annotations.NullMarked;
