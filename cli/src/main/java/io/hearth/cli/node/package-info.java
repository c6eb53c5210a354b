/** Commands that run a node or ask one: agent, train, wait, status. They use {@code cli.option}, {@code cli.process} and {@code cli.terminal}. No other module uses it. */
@NullMarked
package io.hearth.cli.node;

import org.jspecify.annotations.NullMarked;
