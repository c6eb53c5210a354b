package io.hearth.planted;

/** A public class that any other may extend, for {@code CodeRulesTest} to find. */
public class Extensible {}
