/**
 * The messages and the decisions of pairing. Pure. The room may use the identity's root; the shells in {@code agent} and {@code cli} use
 * it.
 */
@org.jspecify.annotations.NullMarked
package io.hearth.identity.pairing.machine;
