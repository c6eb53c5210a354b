/**
 * The part of DNS messages that mDNS needs: a strict reader for untrusted bytes, and a writer of questions. Pure, and bounded in time and
 * memory for any bytes. Uses core only; the mDNS part of {@code io.hearth.discovery} uses it.
 */
@NullMarked
package io.hearth.discovery.dns;

import org.jspecify.annotations.NullMarked;
