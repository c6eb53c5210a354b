/** Options that several commands share, and the converters that read their values; uses {@code cli.terminal}. No other module uses it. */
@NullMarked
package io.hearth.cli.option;

import org.jspecify.annotations.NullMarked;
