/**
 * The shells of pairing: links, mDNS and the thread that steps a machine of {@code identity.pairing.machine}. The room may use the
 * agent's root; {@code cli} uses it.
 */
@org.jspecify.annotations.NullMarked
package io.hearth.agent.pairing;
