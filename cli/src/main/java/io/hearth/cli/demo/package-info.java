/** The demo: several nodes of this machine, shown on one screen. It uses {@code cli.node} for the reports of its nodes. No other module uses it. */
@NullMarked
package io.hearth.cli.demo;

import org.jspecify.annotations.NullMarked;
