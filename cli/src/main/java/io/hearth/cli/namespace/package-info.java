/** Commands for identity, secret, pairing and roster; uses {@code cli.option}, {@code cli.process} and {@code cli.terminal}. No other module uses it. */
@NullMarked
package io.hearth.cli.namespace;

import org.jspecify.annotations.NullMarked;
