package io.hearth.collective;

/**
 * One call of the application.
 *
 * @param signature what is asked for
 * @param contribution how it is done
 */
record Plan(Signature signature, Contribution contribution) {}
