/** Commands that measure collectives, codecs and kernels; they use module {@code bench}, {@code cli.option}, {@code cli.process} and {@code cli.terminal}. No other module uses it. */
@NullMarked
package io.hearth.cli.bench;

import org.jspecify.annotations.NullMarked;
