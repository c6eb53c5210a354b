/**
 * Pairing: how a person lets a new machine into a namespace with a short code. The room may use the identity's root and its own
 * {@code machine}, which decides; {@code agent} and {@code cli} use it.
 */
@org.jspecify.annotations.NullMarked
package io.hearth.identity.pairing;
