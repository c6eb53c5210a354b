/** {@code hearth doctor}: what keeps this machine from training with others, and what to do about it. */
@NullMarked
package io.hearth.cli.doctor;

import org.jspecify.annotations.NullMarked;
