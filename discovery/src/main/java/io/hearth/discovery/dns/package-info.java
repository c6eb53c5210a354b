/**
 * The part of DNS messages that discovery needs: a strict reader for untrusted bytes, and a writer of questions. Pure, and bounded in time and
 * memory for any bytes. Uses core only; mDNS and the lookups of names use it.
 */
@NullMarked
package io.hearth.discovery.dns;

import org.jspecify.annotations.NullMarked;
