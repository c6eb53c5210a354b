/** The few words that every module shares: machines and their steps, the clock port, data types, errors, the bounded decoder. */
@NullMarked
package io.hearth.core;

import org.jspecify.annotations.NullMarked;
