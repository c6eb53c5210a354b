package io.hearth.planted.one;

import io.hearth.planted.two.Second;

/** With {@link Second} a circle of packages, for {@code ArchitectureTest} to find. */
public record First(Second second) {}
