/** Training on real data, written against the public API. */
@NullMarked
package io.hearth.examples;

import org.jspecify.annotations.NullMarked;
