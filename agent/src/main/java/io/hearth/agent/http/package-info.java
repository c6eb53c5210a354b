/** HTTP on the local unix socket and on loopback: the listener, who may ask, and what a request and an answer are. */
@NullMarked
package io.hearth.agent.http;

import org.jspecify.annotations.NullMarked;
