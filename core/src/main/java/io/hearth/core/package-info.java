/** The few types that all modules share: machines and their steps, the clock port, data types, errors, the bounded decoder. */
@NullMarked
package io.hearth.core;

import org.jspecify.annotations.NullMarked;
