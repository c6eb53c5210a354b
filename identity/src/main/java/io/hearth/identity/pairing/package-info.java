/**
 * Pairing: a person admits a new machine to a namespace with a short code. The room may use the identity's root and its own room
 * {@code machine}, which decides; {@code agent} and {@code cli} use it.
 */
@org.jspecify.annotations.NullMarked
package io.hearth.identity.pairing;
