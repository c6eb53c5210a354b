/**
 * DNS messages as far as mDNS needs them: a strict reader of what strangers send, and a writer of questions. Pure, and bounded in time
 * and memory whatever the bytes are. Uses core only; the mDNS part of {@code io.hearth.discovery} uses it.
 */
@NullMarked
package io.hearth.discovery.dns;

import org.jspecify.annotations.NullMarked;
